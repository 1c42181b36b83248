#!/usr/bin/env python3
"""validate.py SCHEMA-FOLDER FILE...: holds each file against the schema that it names. *.jsonl is an event log.

--mutate: besides, every field of each file is given a value of another type, and every word of an enumeration an unknown
one; the schema must refuse each such file, and take each that has one field more.
Exit code 0 when all is as it must be; else a line for each thing that is not.
"""

import copy
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
import jsonschema  # noqa: E402


def load(folder):
    return {s["$id"]: s for s in (json.loads(f.read_text()) for f in sorted(folder.glob("*.json")))}


def validator(schema, known):
    jsonschema.Draft202012Validator.check_schema(schema)
    resolver = jsonschema.RefResolver(schema["$id"], schema, store=known)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def undescribed(schema, path, found):
    """Properties without a description, or anything behind a reference that has one of its own."""
    if isinstance(schema, dict):
        for name, part in schema.items():
            if name not in ("properties", "$defs"):
                undescribed(part, f"{path}/{name}", found)
                continue
            for field, described in part.items():
                if "description" not in described and "$ref" not in described:
                    found.append(f"{path}/{name}/{field}")
                undescribed(described, f"{path}/{name}/{field}", found)
    elif isinstance(schema, list):
        for part in schema:
            undescribed(part, path, found)


def paths(value, path=()):
    """Every place in a document once: of a list's elements those that have a place no earlier one had."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from paths(child, path + (key,))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def changed(document, path, value):
    if not path:
        return value
    document = copy.copy(document)
    document[path[0]] = changed(document[path[0]], path[1:], value)
    return document


OTHER = {str: 7, bool: "x", int: "x", float: "x", list: {"x": 1}, dict: [1], type(None): "x"}
WORDS = ("code", "verdict", "state", "event", "kind", "schema", "broadcast_reading", "exit_code")


def mutate(check, document, name, wrong):
    met = set()
    refused = 0
    for path in paths(document):
        shape = tuple("*" if isinstance(key, int) else key for key in path)
        if not path or shape in met or shape[0] == "facts":
            continue
        met.add(shape)
        value = at(document, path)
        tries = [OTHER[type(value)]]
        # Kinds of devices are open: they are no enumeration.
        if path[-1] in WORDS and shape[-2:] != ("device", "kind"):
            tries.append(99 if isinstance(value, int) else "no-such-word")
        if isinstance(value, int) and not isinstance(value, bool):
            tries += [-1, 0.5]
        for other in tries:
            refused += 1
            if check.is_valid(changed(document, path, other)):
                wrong.append(f"{name}: /{'/'.join(map(str, path))} may be {other!r}")
        if isinstance(value, dict) and not check.is_valid(changed(document, path, {**value, "a field more": 1})):
            if path[-1] not in ("facts", "failing_lanes", "failing_bits", "properties", "properties_broken", "error_counters"):
                wrong.append(f"{name}: /{'/'.join(map(str, path))} may not have a field more")
    return refused


def main():
    arguments = [a for a in sys.argv[1:] if a != "--mutate"]
    known = load(pathlib.Path(arguments[0]))
    wrong = []
    for id_, schema in known.items():
        undescribed(schema, id_, wrong)
    checks = {id_: validator(schema, known) for id_, schema in known.items()}
    files = refused = 0
    for name in arguments[1:]:
        text = pathlib.Path(name).read_text()
        documents = [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else [json.loads(text)]
        kind = documents[0]["schema"].split("/")[1]
        check = checks[f"https://mfma-conform.invalid/schema/{kind}-1.json"]
        seen = set()
        for number, document in enumerate(documents, 1):
            place = f"{name}, line {number}" if len(documents) > 1 else name
            wrong += [f"{place}: {'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in check.iter_errors(document)]
            # Of an event log one line of each event; "run" of the first is a report like those that are mutated anyway.
            what = (document.get("event"), document.get("kind"), bool(document.get("findings")))
            if "--mutate" in sys.argv and what not in seen:
                seen.add(what)
                refused += mutate(check, document, place, wrong)
        files += 1
    for line in wrong:
        print(line)
    print(f"{files} files, {refused} mutations, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

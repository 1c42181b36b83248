// JSON Schema (draft 2020-12) of records, by their rows (reports/model/record.h). Heavy: for sources alone.
#pragma once

#include <string>

#include "reports/json/record_json.h"

namespace mfma::reports::json {

// Makes the schema of one document. What has a name among the definitions is a reference: of the report's schema to its
// own, of another's to the report's.
class Schema {
 public:
  explicit Schema(bool is_report) : is_report_(is_report) {}

  // An object with these rows.
  template <typename Rows>
  Json object(const std::string& doc, const Rows& rows) {
    Json schema = described("object", doc);
    Json properties = Json::object(), required = Json::array();
    record::for_each(rows, [&](const auto& row) { add_row(row, properties, required); });
    schema["properties"] = std::move(properties);
    schema["required"] = std::move(required);
    return schema;
  }
  // The reference to a record with a name, or its schema.
  template <typename Of>
  Json of(const Of& record, const std::string& doc) {
    if (*record.def == '\0') return object(doc.empty() ? record.doc : doc, record.rows);
    return reference(record.def, doc, [&] { return object(record.doc, record.rows); });
  }
  Json take_definitions() { return std::move(definitions_); }

  static Json document(const std::string& name, const std::string& title, Json schema, Json definitions) {
    Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"$id", fmt::format("{}{}-1.json", kFolder, name)},
                 {"title", title}};
    json.update(schema);
    if (!definitions.empty()) json["$defs"] = std::move(definitions);
    return json;
  }
  static constexpr const char* kFolder = "https://mfma-conform.invalid/schema/";

 private:
  static Json described(const char* type, const std::string& doc) {
    Json json = {{"type", type}};
    if (!doc.empty()) json["description"] = doc;
    return json;
  }
  static Json whole(const std::string& doc, const record::About& about = {}) {
    Json json = {{"type", "integer"}, {"minimum", about.minimum}};
    if (about.maximum) json["maximum"] = *about.maximum;
    json["description"] = doc;
    return json;
  }

  template <typename Make>
  Json reference(const std::string& def, const std::string& doc, const Make& make) {
    const std::string place = "#/$defs/" + def;
    Json json = {{"$ref", is_report_ ? place : kFolder + std::string("report-1.json") + place}};
    if (!doc.empty()) json["description"] = doc;
    if (is_report_ && !definitions_.contains(def)) {
      definitions_[def] = nullptr;  // its place comes before those of what it refers to
      Json made = make();
      definitions_[def] = std::move(made);
    }
    return json;
  }

  template <typename T>
  Json words(const std::string& doc) {
    Json all = Json::array();
    for (const T word : record::Words<T>::all()) all.push_back(record::Words<T>::name(word));
    return {{"enum", std::move(all)}, {"description", doc}};
  }

  template <typename T>
  Json value(const record::About& about) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (about.words) return {{"enum", about.words()}, {"description", about.doc}};
      Json json = described("string", about.doc);
      if (about.pattern) json["pattern"] = about.pattern;
      return json;
    } else if constexpr (std::is_same_v<T, bool>) {
      return described("boolean", about.doc);
    } else if constexpr (std::is_same_v<T, double>) {
      return {{"type", "number"}, {"minimum", 0}, {"description", about.doc}};
    } else if constexpr (std::is_same_v<T, ExitCode>) {
      return {{"enum", {0, 1, 2, 3}}, {"description", about.doc}};
    } else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
      Json json = whole(about.doc, about);
      json["type"] = {"integer", "null"};
      return json;
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      Json json = described("array", about.doc);
      json["items"] = described("string", about.item);
      return json;
    } else if constexpr (Word<T>) {
      const std::string def = record::Words<T>::kDef;
      if (def.empty() || !is_report_) return words<T>(about.doc);
      return reference(def, about.doc, [&] { return words<T>(record::Words<T>::kDoc); });
    } else {
      static_assert(std::is_integral_v<T>, "a type that no schema is known of");
      return whole(about.doc, about);
    }
  }

  Json map_of(Json element, const record::About& about) {
    Json json = described("object", about.doc);
    json["additionalProperties"] = std::move(element);
    return json;
  }

  static void add(const record::About& about, Json schema, bool required, Json& properties, Json& all_required) {
    properties[about.key] = std::move(schema);
    if (required) all_required.push_back(about.key);
  }

  template <typename R, typename T>
  void add_row(const record::Field<R, T>& row, Json& properties, Json& required) {
    add(row.about, value<T>(row.about), !row.about.optional || row.about.required, properties, required);
  }
  template <typename R, typename T>
  void add_row(const record::Computed<R, T>& row, Json& properties, Json& required) {
    add(row.about, value<T>(row.about), !row.about.optional, properties, required);
  }
  template <typename R, typename T, typename Of>
  void add_row(const record::Object<R, T, Of>& row, Json& properties, Json& required) {
    if (!row.about.null) return add(row.about, of(row.of, row.about.doc), !row.about.optional, properties, required);
    Json schema = {{"anyOf", {of(row.of, ""), {{"type", "null"}}}}, {"description", row.about.doc}};
    add(row.about, std::move(schema), true, properties, required);
  }
  template <typename R, typename T, typename Of>
  void add_row(const record::List<R, T, Of>& row, Json& properties, Json& required) {
    Json schema = described("array", row.about.doc);
    schema["items"] = of(row.of, "");
    add(row.about, std::move(schema), !row.about.optional, properties, required);
  }
  template <typename R, typename T, typename Of>
  void add_row(const record::Named<R, T, Of>& row, Json& properties, Json& required) {
    add(row.about, map_of(of(row.of, ""), row.about), true, properties, required);
  }
  template <typename R, typename... Rows>
  void add_row(const record::Group<R, Rows...>& row, Json& properties, Json& required) {
    add(row.about, of(row.of, row.about.doc), !row.about.optional, properties, required);
  }
  template <typename R, typename T, typename... Rows>
  void add_row(const record::Inlined<R, T, Rows...>& row, Json& properties, Json& required) {
    record::for_each(row.rows, [&](const auto& inner) { add_row(inner, properties, required); });
  }
  void add_row(const record::Constant& row, Json& properties, Json& required) {
    add(row.about, {{"const", row.value}, {"description", row.about.doc}}, true, properties, required);
  }
  static Json elsewhere(const std::string& schema, const std::string& place) {
    return {{"$ref", fmt::format("{}{}-1.json{}{}", kFolder, schema, place.empty() ? "" : "#", place)}};
  }
  void add_row(const record::Elsewhere& row, Json& properties, Json& required) {
    Json schema = elsewhere(row.schema, row.place);
    schema["description"] = row.about.doc;
    add(row.about, std::move(schema), true, properties, required);
  }
  template <typename R, typename T, typename A, typename B>
  void add_row(const record::Either<R, T, A, B>& row, Json& properties, Json& required) {
    Json both = Json::array({elsewhere("report", row.place_a), elsewhere("report", row.place_b)});
    add(row.about, {{"description", row.about.doc}, {"anyOf", std::move(both)}}, true, properties, required);
  }
  void add_row(const record::Shortened& row, Json& properties, Json& required) {
    add(row.about, described("boolean", row.about.doc), false, properties, required);
  }
  template <typename R>
  void add_row(const record::Bits<R>& row, Json& properties, Json& required) {
    Json schema = described("string", row.about.doc);
    schema["pattern"] = "^[0-9a-f]+$";
    add(row.about, std::move(schema), true, properties, required);
  }
  template <typename R>
  void add_row(const record::Joined<R>& row, Json& properties, Json& required) {
    add(row.about, described("string", row.about.doc), true, properties, required);
  }
  template <typename R, typename T>
  void add_row(const record::NumberByName<R, T>& row, Json& properties, Json& required) {
    add(row.about, map_of(whole(row.about.item), row.about), false, properties, required);
  }
  template <typename R>
  void add_row(const record::NumberByPlace<R>& row, Json& properties, Json& required) {
    Json schema = map_of(whole(row.about.item), row.about);
    schema["propertyNames"] = {{"pattern", "^[0-9]+$"}};
    add(row.about, std::move(schema), false, properties, required);
  }
  template <typename R>
  void add_row(const record::TextByName<R>& row, Json& properties, Json& required) {
    add(row.about, map_of(described("string", row.about.item), row.about), true, properties, required);
  }
  template <typename R, typename E, std::size_t N>
  void add_row(const record::Tally<R, E, N>& row, Json& properties, Json& required) {
    for (const E e : *row.all) {
      const std::string key(row.key(e));
      properties[key] = whole(fmt::format("{}{}.", row.doc, row.word(e)));
      required.push_back(key);
    }
  }
  template <typename R, typename T, std::size_t N>
  void add_row(const record::Counted<R, T, N>& row, Json& properties, Json& required) {
    const auto make = [&] {
      Json schema = described("object", row.few ? "Counts; those that are 0 are left out." : "Counts.");
      Json names = Json::object(), all_required = Json::array();
      for (const record::Count<T>& count : *row.all) {
        names[count.key] = whole(count.doc);
        if (!row.few) all_required.push_back(count.key);
      }
      schema["properties"] = std::move(names);
      schema["required"] = std::move(all_required);
      return schema;
    };
    add(row.about, reference(row.few ? "few_counts" : "counts", row.about.doc, make), true, properties, required);
  }

  const bool is_report_;
  Json definitions_ = Json::object();
};

}  // namespace mfma::reports::json

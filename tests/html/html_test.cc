// The HTML report as text: what it holds, and that nothing breaks out of it.
#include "reports/html/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/cases/case_file.h"
#include "harness/catalogue/layout.h"
#include "harness/catalogue/register_image.h"
#include "oracles/plain/modifiers.h"
#include "reports/html/html_assets.h"
#include "reports/html/html_calls.h"
#include "reports/html/html_data.h"
#include "tests/html/samples.h"

namespace mfma::reports::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

// The data island as the page has it, cut out of the page.
std::string island_of(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = html.find(begin) + begin.size();
  return html.substr(at, html.find("</script>", at) - at);
}

// Empty where it is left out.
std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::string() : found->dump();
}
std::string dumped(const std::string& text) { return text.empty() ? text : Json(text).dump(); }

TEST(Html, HoldsItsPartsOnce) {
  const std::string html = to_html(every_kind());
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_EQ(times(html, "<script"), 2u);
  EXPECT_EQ(times(html, "</script>"), 2u);
  EXPECT_EQ(times(html, "<style"), 1u);
  EXPECT_LT(html.find("Content-Security-Policy"), html.find("<style"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(html, HasSubstr(std::string(html::kScript.text)));
  EXPECT_THAT(html, HasSubstr(std::string(html::kStyle.text)));
  EXPECT_THAT(html, HasSubstr(R"(<h1 id="verdict">FAIL (exit 1)</h1>)"));
  EXPECT_THAT(html, HasSubstr("EMULATED DEVICE"));
  for (const char* far : {"http://", "https://", "@import", "url("}) {
    std::string rest = html;
    // The name of SVG's elements is no address.
    if (const std::size_t name = rest.find("http://www.w3.org/2000/svg"); name != std::string::npos)
      rest.erase(name, 26);
    EXPECT_THAT(rest, Not(HasSubstr(far)));
  }
}

TEST(Html, NoTextEndsTheIslandOrBecomesMarkup) {
  const RunReport report = hostile_report();
  const std::string html = to_html(report);
  EXPECT_EQ(times(html, "<script"), 2u);
  EXPECT_EQ(times(html, "</script"), 2u);
  EXPECT_EQ(times(html, "<!--"), 0u);
  EXPECT_EQ(times(html, "<img"), 0u);
  EXPECT_EQ(times(html, "<svg"), 0u);
  const std::string island = island_of(html);
  for (const char* never : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    EXPECT_EQ(times(island, never), 0u) << never;
  for (const char c : island) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  // And yet nothing is lost of what is text.
  const Json data = Json::parse(island);
  for (std::size_t i = 0; i < hostile_texts().size(); ++i) {
    const std::string& text = hostile_texts()[i];
    const Json& finding = data["findings"].at(all_kinds().size() + 1 + 2 * i);
    if (text.find('\xff') == std::string::npos) {
      EXPECT_EQ(finding["log"], text);
    }
    EXPECT_EQ(finding["reduced"].contains("unread"), true) << "a case that cannot be read is said";
  }
}

TEST(Html, HoldsEveryKindAndSaysWhatItIs) {
  const RunReport report = every_kind();
  const Json data = Json::parse(html::data_island(report));
  ASSERT_EQ(data["findings"].size(), report.findings.size());
  ASSERT_EQ(data["kinds"].size(), static_cast<std::size_t>(kFindingKinds));
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& f = report.findings[i];
    const Json& j = data["findings"][i];
    EXPECT_EQ(data["kinds"][j["k"].get<std::size_t>()].dump(), dumped(std::string(code_of(f.kind))));
    EXPECT_EQ(data["verdicts"][j["v"].get<std::size_t>()].dump(), dumped(std::string(name_of(verdict_of(f)))));
    const std::string title = is_of_waiver(f.kind) ? "waivers" : f.shape.empty() ? f.instance : f.program;
    EXPECT_EQ(data["strings"][j["i"].get<std::size_t>()].dump(), dumped(title));
    EXPECT_EQ(j.contains("u"), !is_of_waiver(f.kind)) << "a waiver is of no unit";
    if (j.contains("u")) {
      EXPECT_EQ(j["u"], f.unit);
    }
    EXPECT_EQ(j["m"], f.message);
    EXPECT_EQ(text_at(j, "replay"), dumped(replay_command(f)));
    EXPECT_EQ(text_at(j, "log"), dumped(f.log));
    EXPECT_EQ(text_at(j, "source"), dumped(f.source));
    EXPECT_EQ(j.contains("diff") ? j["diff"].size() : 0, f.differences.size());
  }
}

// Over random results: the page, the report and the exit code count the same.
TEST(Html, CountsAreThoseOfTheReport) {
  std::mt19937 random(11);
  std::array<int, 4> codes = {};
  for (int round = 0; round < 150; ++round) {
    const RunReport report = random_report(random);
    ++codes.at(static_cast<std::size_t>(report.exit_code()));
    const std::string html = to_html(report);
    const Json data = Json::parse(island_of(html));
    EXPECT_THAT(html, HasSubstr("(exit " + std::to_string(static_cast<int>(report.exit_code())) + ")</h1>"));
    EXPECT_EQ(data["head"]["exit_code"], static_cast<int>(report.exit_code()));
    for (std::size_t v = 0; v < kVerdicts.size(); ++v) {
      const std::string name = data["count_names"][v];
      EXPECT_EQ(data["totals"][name], report.instances_with(kVerdicts[v]));
      EXPECT_EQ(data["program_totals"][name], report.programs_with(kVerdicts[v]));
      const auto counted = [&](const char* key) {
        return static_cast<std::uint64_t>(
            std::count_if(data[key].begin(), data[key].end(), [&](const Json& u) { return u["v"] == v; }));
      };
      EXPECT_EQ(counted("instances"), report.instances_with(kVerdicts[v]));
      EXPECT_EQ(counted("programs"), report.programs_with(kVerdicts[v]));
    }
    ASSERT_EQ(data["builtins"].size(), report.builtins.size());
    for (std::size_t i = 0; i < report.builtins.size(); ++i) {
      EXPECT_EQ(data["builtins"][i]["name"], report.builtins[i].builtin);
      EXPECT_EQ(data["builtins"][i]["failed"], report.builtins[i].failed);
      EXPECT_EQ(data["builtins"][i]["units"], report.builtins[i].instances);
    }
    std::uint64_t findings = 0;
    for (const Json& count : data["finding_counts"]) findings += count[2].get<std::uint64_t>();
    EXPECT_EQ(findings, report.findings.size());
  }
  for (const int seen : codes) EXPECT_GT(seen, 0) << "the random reports lack an exit code";
}

TEST(Html, HeldNumbersKeepAllTheirBits) {
  RunReport report = every_kind();
  report.seed = ~std::uint64_t{0};
  EXPECT_EQ(Json::parse(html::data_island(report))["head"]["seed"], "18446744073709551615");
}

TEST(HtmlCalls, DecimalsTellWhatACodeIsWorth) {
  EXPECT_EQ(html::decimal("f16", 0x3c00), "1");
  EXPECT_EQ(html::decimal("f16", 0x0001), "5.9604645e-08");
  EXPECT_EQ(html::decimal("bf16", 0xff80), "-inf");
  EXPECT_EQ(html::decimal("f32", 0x80000000), "-0");
  EXPECT_EQ(html::decimal("f32", 0x3dcccccd), "0.1");
  EXPECT_EQ(html::decimal("f64", 0x3fb999999999999a), "0.1");
  EXPECT_EQ(html::decimal("f64", 1), "5e-324");
  EXPECT_EQ(html::decimal("fp8_e4m3", 0x7f), "NaN");
  EXPECT_EQ(html::decimal("fp8_e4m3", 0x7e), "448");
  EXPECT_EQ(html::decimal("fp4_e2m1", 0xf), "-6");
  EXPECT_EQ(html::decimal("e8m0", 0x7f), "2^0");
  EXPECT_EQ(html::decimal("e8m0", 0), "2^-127");
  EXPECT_EQ(html::decimal("i8", 0xff), "-1");
  EXPECT_EQ(html::decimal("i32", 0x80000000), "-2147483648");
}

std::vector<int> unrolled(const Json& runs) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    for (int n = 0; n < runs[i + 1].get<int>(); ++n) numbers.push_back(runs[i].get<int>() + n);
  }
  return numbers;
}

TEST(HtmlCalls, LayoutsAndModifiersAreTheCatalogues) {
  for (const std::string id : {"mfma_f32_4x4x4f16:cbsz=2,abid=3,blgp=1", "mfma_f32_32x32x1f32:cbsz=1,blgp=4",
                               "mfma_scale_f32_16x16x128_f8f6f4:a=fp6,b=fp4,op_sel=1/2"}) {
    const auto instance = catalogue::parse_instance(id);
    ASSERT_TRUE(instance);
    html::Calls calls("per-set");
    ASSERT_TRUE(calls.add(id));
    const Json call = calls.calls()[id];
    const Json a = calls.layouts()[call["layouts"]["A"].get<std::string>()];
    const catalogue::Layout layout(*instance, catalogue::Operand::kA);
    ASSERT_EQ(a["at"].size(), layout.locations().size());
    for (std::size_t i = 0; i < a["at"].size(); ++i) {
      const catalogue::Location l = layout.locations()[i];
      EXPECT_EQ(a["at"][i], l.lane * 32 * layout.registers() + l.bit);
    }
    EXPECT_EQ(call["layouts"].contains("scale-A"), instance->modifiers.scaled);
    if (instance->modifiers.scaled) continue;
    const catalogue::Shape& s = instance->builtin->shape;
    const std::vector<int> from = unrolled(call["b_from"]);
    ASSERT_EQ(from.size(), static_cast<std::size_t>(s.blocks * s.k * s.n));
    oracles::DenseModifiers m;
    m.cbsz = instance->modifiers.cbsz;
    m.abid = instance->modifiers.abid;
    m.blgp = instance->modifiers.blgp;
    for (int block = 0; block < s.blocks; ++block) {
      const oracles::ElementPlace p = oracles::source_of_b({s.m, s.n, s.k, s.blocks}, m, {block, s.n - 1, s.k - 1});
      EXPECT_EQ(from[static_cast<std::size_t>((block * s.k + s.k - 1) * s.n + s.n - 1)],
                (p.block * s.k + p.k) * s.n + p.row_or_column);
    }
  }
  html::Calls calls("per-set");
  EXPECT_FALSE(calls.add("mfma_of_another_version"));
}

TEST(HtmlCalls, MatricesAreThoseOfTheCase) {
  const Finding f = sample_finding(FindingKind::kWrongBits, 0);
  const auto file = cases::parse_case_file(f.reduced->text, "case");
  ASSERT_TRUE(file) << file.error();
  html::Calls calls("per-set");
  const auto matrices = calls.matrices(*file);
  const std::vector<std::uint64_t> codes =
      catalogue::read_elements(catalogue::shared_layout(file->c.instance, catalogue::Operand::kA), file->c.a);
  std::vector<std::uint64_t> read;
  std::istringstream words(matrices["A"]["codes"].get<std::string>());
  for (std::string word; words >> word;) {
    const std::size_t star = word.find('*');
    const std::size_t count = star == std::string::npos ? 1 : std::stoul(word.substr(star + 1));
    read.insert(read.end(), count, std::stoull(word.substr(0, star), nullptr, 16));
  }
  EXPECT_EQ(read, codes);
  EXPECT_EQ(calls.values().at("f16").at("3c00"), "1");
  EXPECT_FALSE(matrices.contains("expected")) << "the case has none";
}

RunReport many_findings(std::size_t count) {
  RunReport report = every_kind();
  const std::vector<Finding> kinds = report.findings;
  while (report.findings.size() < count) {
    Finding f = kinds[report.findings.size() % kinds.size()];
    f.log = "error: a log of a compiler";
    report.findings.push_back(std::move(f));
  }
  return report;
}

constexpr std::size_t kLargest = 50'000'000;

TEST(HtmlSize, AHundredThousandFindingsFit) {
  const std::string html = to_html(many_findings(100'000));
  EXPECT_LT(html.size(), kLargest);
  const Json data = Json::parse(island_of(html));
  EXPECT_EQ(data["findings"].size(), 100'000u);
  EXPECT_EQ(data["shown"]["left_out"], 0);
  EXPECT_EQ(data["shown"]["in_full"], 2000);
  EXPECT_NE(text_at(data["findings"][99'999], "m"), "");
  EXPECT_FALSE(data["findings"][99'999].contains("log"));
}

// Texts that grow sixfold when escaped, and logs larger than all that fits: counted, never lost in silence.
TEST(HtmlSize, WhatDoesNotFitIsCounted) {
  RunReport report = many_findings(100'000);
  for (Finding& f : report.findings) f.message = std::string(900, '<');
  report.findings[5].log = std::string(8'000'000, '<');
  const std::string html = to_html(report);
  EXPECT_LT(html.size(), kLargest);
  const Json data = Json::parse(island_of(html));
  EXPECT_GT(data["shown"]["left_out"], 0);
  EXPECT_EQ(data["findings"].size() + data["shown"]["left_out"].get<std::size_t>(), report.findings.size());
  std::uint64_t counted = 0;
  for (const Json& count : data["finding_counts"]) counted += count[2].get<std::uint64_t>();
  EXPECT_EQ(counted, report.findings.size());
}

}  // namespace
}  // namespace mfma::reports::testing

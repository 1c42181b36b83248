// The HTML report in a real browser: it shows what it should, obeys the keys, and runs nothing that it was told.
#include "tests/html/browser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>

#include "harness/catalogue/instance.h"
#include "reports/html/html.h"
#include "tests/html/planted.h"
#include "tests/html/samples.h"

namespace mfma::reports::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (has_browser()) return;
    ASSERT_EQ(std::getenv("MFMA_NEEDS_CHROMIUM"), nullptr) << "the browser is missing";
    GTEST_SKIP() << "no chromium here: install Debian's package, or name one in MFMA_CHROMIUM";
  }

  // The script ran to its end and the page said nothing on the console.
  static void expect_clean(const Seen& seen) {
    EXPECT_EQ(seen.told.count("error"), 0u) << seen.told.at("error");
    EXPECT_EQ(seen.told.count("done"), 1u) << seen.dom.substr(0, 2000);
    EXPECT_EQ(seen.console, "");
  }
};

TEST_F(Browser, DrawsThePageUnderItsOwnPolicy) {
  const RunReport report = every_kind();
  const Seen seen = open_page(to_html(report), "#finding-0");
  EXPECT_EQ(seen.console, "") << "a refused script or style, or an error";
  EXPECT_THAT(seen.dom, HasSubstr("data-ready=\""));
  EXPECT_THAT(seen.dom, HasSubstr("id=\"broken\" hidden"));
  for (const FindingKind kind : all_kinds())
    EXPECT_THAT(seen.dom, HasSubstr("data-code=\"" + std::string(code_of(kind)) + "\""));
  EXPECT_THAT(seen.dom, HasSubstr("class=\"row open\"")) << "the address names a finding";
  for (const char* said : {"mfma-conform replay out/small.case", "XCC 1 SE 2 CU 3 SIMD 0: 8 of 16",
                           "this device alone (0000:05:00.0)", "4 times, 3 differ", "6 (4), 4 (1)",
                           "waivers.json, number 2", "1 waiver is expired", "3 before, 5 after: ROSE"}) {
    EXPECT_THAT(seen.dom, HasSubstr(said));
  }
}

// What a script finds in the cards and in the list.
constexpr const char* kCount = R"js(
  for (const card of all('.card')) {
    tell('card ' + card.dataset.name, [card.dataset.units, card.dataset.passed, card.dataset.waived, card.dataset.notRun,
      card.dataset.inconclusive, card.dataset.hung, card.dataset.failed].join(' '));
    for (const v of ['pass', 'waived', 'not-run', 'inconclusive', 'hang', 'fail']) {
      tell('cells ' + card.dataset.name + ' ' + v, card.querySelectorAll('.c.' + v).length);
    }
  }
  tell('findings', document.getElementById('findings').dataset.total);
  tell('rows', all('.row').length);
)js";

TEST_F(Browser, ShowsTheCountsOfTheReport) {
  std::mt19937 random(5);
  for (int round = 0; round < 3; ++round) {
    const RunReport report = random_report(random);
    Seen seen = open_with_script(to_html(report), kCount);
    expect_clean(seen);
    for (const auto* rows : {&report.builtins, &report.shapes}) {
      for (const BuiltinReport& b : *rows) {
        std::string counts = std::to_string(b.instances);
        for (const Verdict v : kVerdicts) {
          counts += fmt::format(" {}", b.with(v));
          EXPECT_EQ(seen.told[fmt::format("cells {} {}", b.builtin, name_of(v))], std::to_string(b.with(v)))
              << b.builtin;
        }
        EXPECT_EQ(seen.told["card " + b.builtin], counts);
      }
    }
    EXPECT_EQ(seen.told["findings"], std::to_string(report.findings.size()));
    EXPECT_EQ(seen.told["rows"], std::to_string(report.findings.size()));
  }
}

// Opens every finding, and every cell.
constexpr const char* kOpenAll = R"js(
  for (const row of all('.row')) {
    row.firstChild.click();
    tell('text ' + row.id, row.textContent.length);
    tell('open ' + row.id, row.classList.contains('open') && row.querySelectorAll('.detail dl').length > 0);
  }
  tell('copy', all('.copy').length);
  tell('pwned', String(window.pwned));
  tell('foreign', all('img, iframe, object, embed, link, [onerror], [onload], [onclick], a[href^="javascript"]').length);
  tell('scripts', all('script').length);
)js";

TEST_F(Browser, RunsNothingThatAReportHolds) {
  const RunReport report = hostile_report();
  Seen seen = open_with_script(to_html(report), std::string(kOpenAll) + R"js(
    for (const select of all('#filters select')) {
      for (let i = 0; i < select.options.length; ++i) {
        select.selectedIndex = i;
        select.dispatchEvent(new Event('change'));
        tell('rows ' + select.id + ' ' + i, all('.row').length);
      }
      select.selectedIndex = 0;
      select.dispatchEvent(new Event('change'));
    }
    for (const cell of all('.c')) cell.click();
    tell('pwned after', String(window.pwned));
  )js");
  expect_clean(seen);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    EXPECT_EQ(seen.told["open finding-" + std::to_string(i)], "true") << i;
  }
  EXPECT_EQ(seen.told["pwned"], "undefined");
  EXPECT_EQ(seen.told["pwned after"], "undefined");
  EXPECT_EQ(seen.told["foreign"], "0");
  EXPECT_EQ(seen.told["scripts"], "3") << "the data, the page's and the test's";
  // A name that no attribute can hold is found by its filter all the same.
  for (std::size_t i = 0; i < report.builtins.size(); ++i) {
    EXPECT_NE(seen.told["rows by-group " + std::to_string(i + 1)], "0") << report.builtins[i].builtin;
  }
  // As it is, too: the policy of the copy is wider.
  EXPECT_EQ(open_page(to_html(report)).console, "");
}

TEST_F(Browser, ObeysFiltersAndKeys) {
  RunReport report = every_kind();
  const catalogue::Builtin* whole = catalogue::find_builtin("mfma_f32_32x32x1f32");
  for (const catalogue::Instance& i : catalogue::legal_instances(*whole)) {
    add_unit(report, std::string(whole->name), catalogue::instance_id(i), Verdict::kPass);
  }
  summarize(report);
  Seen seen = open_with_script(to_html(report), R"js(
    const rows = () => all('.row').length;
    const focus = () => document.activeElement;
    tell('rows', rows());
    const box = all('#by-verdict input')[0];
    box.click();
    tell('worst only', rows() + ' ' + all('.row[data-verdict="fail"]').length);
    tell('dimmed', all('.c.dim').length);
    press(document.body, 'Escape');
    await pause();
    tell('after escape', rows() + ' ' + all('.c.dim').length + ' ' + box.checked);
    press(document.body, '/');
    tell('slash', focus().id);
    focus().value = 'Batch CANNOT';
    focus().dispatchEvent(new Event('input'));
    await pause();
    tell('two words', rows());
    focus().value = 'batch-failure';
    focus().dispatchEvent(new Event('input'));
    await pause();
    tell('searched', rows() + ' ' + all('.row')[0].dataset.code);
    press(focus(), 'Escape');
    await pause();
    tell('searched no more', rows());

    const grids = all('.cells');
    tell('one stop in each grid', grids.every((grid) => grid.querySelectorAll('[tabindex="0"]').length === 1));
    const grid = document.querySelector('[data-name="mfma_f32_32x32x1f32"] .cells');
    const first = grid.querySelector('.c');
    first.focus();
    press(first, 'ArrowDown');
    tell('down', focus() !== first && focus().cell.x === first.cell.x && focus().cell.y === first.cell.y + 1);
    press(focus(), 'ArrowUp');
    tell('up', focus() === first);
    press(focus(), 'End');
    tell('end', focus() === [...grid.querySelectorAll('.c')].pop() && focus().tabIndex === 0 && first.tabIndex === -1);
    press(focus(), 'Home');
    tell('home', focus() === first);
    const failed = document.querySelector('.c.fail');
    failed.focus();
    failed.click();
    tell('unit', rows() + ' ' + document.getElementById('unit').textContent.includes(failed.cell.unit.id) + ' ' + focus().id);
    press(document.body, 'Escape');
    tell('unit left', rows() + ' ' + (focus() === failed));

    const row = all('.row')[0];
    row.firstChild.focus();
    press(focus(), 'ArrowDown');
    tell('next row', focus() === all('.row')[1].firstChild);
    focus().click();
    tell('opened', all('.row.open').length + ' ' + focus().getAttribute('aria-expanded'));
    press(focus(), 'Escape');
    tell('closed', all('.row.open').length + ' ' + (focus() === all('.row')[1].firstChild));

    const order = document.getElementById('order');
    order.value = 'code';
    order.dispatchEvent(new Event('change'));
    tell('by code', all('.row').map((r) => r.dataset.code).join(' '));

    const theme = document.getElementById('theme');
    const paper = () => getComputedStyle(document.body).backgroundColor;
    const seenThemes = [];
    for (let i = 0; i < 3; ++i) { theme.click(); seenThemes.push(document.documentElement.dataset.theme + ' ' + paper()); }
    tell('themes', seenThemes.join(', '));
    tell('unnamed', all('button, select, input').filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.closest('label'))).length);
  )js");
  expect_clean(seen);
  const std::string all = std::to_string(report.findings.size());
  EXPECT_EQ(seen.told["rows"], all);
  EXPECT_EQ(seen.told["worst only"], "10 10");
  EXPECT_NE(seen.told["dimmed"], "0");
  EXPECT_EQ(seen.told["after escape"], all + " 0 false");
  EXPECT_EQ(seen.told["slash"], "by-text");
  EXPECT_EQ(seen.told["two words"], "0") << "both words must be there";
  EXPECT_EQ(seen.told["searched"], "1 batch-failure");
  EXPECT_EQ(seen.told["searched no more"], all);
  for (const char* yes : {"one stop in each grid", "down", "up", "end", "home", "next row"})
    EXPECT_EQ(seen.told[yes], "true") << yes;
  EXPECT_EQ(seen.told["unit"], "1 true findings");
  EXPECT_EQ(seen.told["unit left"], all + " true");
  EXPECT_EQ(seen.told["opened"], "1 true");
  EXPECT_EQ(seen.told["closed"], "0 true");
  EXPECT_THAT(seen.told["by code"], HasSubstr("wrong-bits wrong-bits property-broken wrong-instruction"));
  EXPECT_EQ(seen.told["themes"], "light rgb(251, 251, 249), dark rgb(20, 23, 27), undefined rgb(251, 251, 249)");
  EXPECT_EQ(seen.told["unnamed"], "0");
}

TEST_F(Browser, MarksTheElementItsBitsAndWhereItLives) {
  Seen seen = open_with_script(to_html(every_kind()), R"js(
    all('.row[data-code="wrong-bits"]')[0].firstChild.click();
    const detail = all('.detail')[0];
    const bits = [...detail.querySelectorAll('.bits')];
    tell('expected', bits[0].textContent);
    tell('marked', [...bits[0].querySelectorAll('mark')].map((m) => m.textContent).join('|'));
    tell('fields', [...bits[0].children].map((part) => part.className + ' ' + part.textContent.length).join(', '));
    for (const matrix of detail.querySelectorAll('.matrix')) {
      tell('matrix ' + matrix.dataset.matrix, [...matrix.querySelectorAll('td[class^="feed"], td[class*=" feed"]')].map((td) => td.title.split(' ')[0]).join(' '));
    }
    tell('lanes', [...detail.querySelectorAll('svg .result title')].map((t) => t.textContent).join('; '));
    tell('fed', [...detail.querySelectorAll('svg rect.feed-a title')].map((t) => t.textContent).join('; '));
  )js");
  expect_clean(seen);
  EXPECT_EQ(seen.told["expected"], "00111111100000000000000000000000");
  EXPECT_EQ(seen.told["marked"], "0|0") << "sign and last bit";
  EXPECT_EQ(seen.told["fields"], "sign 1, exponent 8, fraction 23");
  // cbsz=2, abid=3: block 1 reads A of block 3; blgp=2: lane 6 reads B of lane 38, block 9. Products of zeros are left
  // out.
  EXPECT_EQ(seen.told["matrix A"], "A[3,1,0] A[3,1,1] A[3,1,2]");
  EXPECT_EQ(seen.told["matrix B"], "B[9,0,2] B[9,1,2] B[9,2,2]");
  EXPECT_EQ(seen.told["matrix C"], "C[1,1,2]");
  EXPECT_EQ(seen.told["lanes"], "D[1,1,2] in lane 6, register 1, bits 0 to 31");
  EXPECT_THAT(seen.told["fed"], HasSubstr("A[3,1,0] in lane 13, register 0, bits 0 to 15"));
}

TEST_F(Browser, OpensAHundredThousandFindings) {
  RunReport report = every_kind();
  const std::vector<Finding> kinds = report.findings;
  while (report.findings.size() < 100'000) report.findings.push_back(kinds[report.findings.size() % kinds.size()]);
  report.findings[77'777].message = "the needle";
  Seen seen = open_with_script(to_html(report), R"js(
    tell('rows', all('.row').length);
    tell('ready', document.documentElement.dataset.ready);
    const field = document.getElementById('by-text');
    field.value = 'needle';
    field.dispatchEvent(new Event('input'));
    await pause(1000);
    tell('needle', all('.row').map((row) => row.id).join(' '));
    all('.row')[0].firstChild.click();
    tell('open', all('.row.open').length);
  )js");
  expect_clean(seen);
  EXPECT_EQ(seen.told["rows"], "100");
  EXPECT_EQ(seen.told["needle"], "finding-77777");
  EXPECT_EQ(seen.told["open"], "1");
}

TEST_F(Browser, ShowsEachOfFiftyPlantedFailures) {
  const RunReport report = planted_report();
  ASSERT_GE(report.findings.size(), 50u);
  const std::string html = to_html(report);
  // For a person to look at.
  if (const char* keep = std::getenv("MFMA_HTML_KEEP")) std::ofstream(keep, std::ios::binary) << html;
  Seen seen = open_with_script(html, kOpenAll);
  expect_clean(seen);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    EXPECT_EQ(seen.told["open finding-" + std::to_string(i)], "true") << i;
  }
  for (const FindingKind kind : all_kinds())
    EXPECT_THAT(seen.dom, HasSubstr("data-code=\"" + std::string(code_of(kind)) + "\""));
  // Without virtual time, in which nothing takes any.
  const std::string dom = open_page(html).dom;
  const std::size_t ready = dom.find("data-ready=\"") + 12;
  std::cout << report.findings.size() << " findings, " << html.size() << " bytes, drawn after "
            << dom.substr(ready, dom.find('"', ready) - ready) << " ms\n";
}

}  // namespace
}  // namespace mfma::reports::testing

"""What a reader does with a report of a job, in Chromium."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
import samples
from headrace.analysis.definitions import definitions
from playwright.sync_api import Page, expect

SECTIONS = [
    "time",
    "over-time",
    "files",
    "code",
    "sizes",
    "directories",
    "processes",
    "missing",
    "definitions",
]

# Of each canvas, whether anything is on it.
PAINTED = """(selector) => [...document.querySelectorAll(selector)].map((canvas) => {
  const blank = canvas.cloneNode();
  return canvas.toDataURL() !== blank.toDataURL();
})"""


def copied(page: Page, button: str) -> list[dict[str, str]]:
    page.locator(button).click()
    expect(page.locator(button)).to_have_text("Copied")
    return list(csv.DictReader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))


@pytest.mark.parametrize("name", list(samples.ALL))
def test_every_report_opens_without_a_complaint(name: str, open_page: Any, report: Any) -> None:
    page = open_page(report(name))
    for section in SECTIONS:
        if section != "code" or name in ("typical", "huge", "hostile", "damaged"):
            expect(page.locator(f"section#{section} h2")).to_be_attached()
    text = page.inner_text("main")
    assert "NaN" not in text and "undefined" not in text and "Infinity" not in text
    assert "cannot be shown" not in text


def test_plots_are_painted(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    for section, canvases in (("time", 1), ("over-time", 2), ("sizes", 1), ("directories", 1)):
        assert page.evaluate(PAINTED, f"#{section} canvas") == [True] * canvases, section


def test_the_header_says_what_ran(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    expect(page.locator("h1")).to_have_text("mpirun -n 8 ./simulation --steps 40 'input file.txt'")
    expect(page.locator("#job")).to_contain_text("2026-01-01 10:00:00 UTC")
    expect(page.locator("#complete")).to_have_text("Log complete, but not all was captured: see below")


def test_files_are_ranked_and_sorted(open_page: Any, report: Any) -> None:
    _, tables = samples.typical()
    files: Any = tables["files"]
    page = open_page(report("typical"))

    def expected(key: str, descending: bool = True) -> list[str]:
        values = files[key] if key != "bytes" else files["bytes_read"] + files["bytes_written"]
        rows = sorted(range(len(values)), key=lambda row: -values[row] if descending else values[row])
        names = [files["path"][row].removeprefix("/home/someone/") for row in rows[:3]]
        return [name + "/" * int(files["kind"].codes[row]) for name, row in zip(names, rows, strict=False)]

    def shown() -> list[str]:
        return page.locator("#files tr.opens .name").evaluate_all(
            "names => names.slice(0, 3).map(name => name.textContent)"
        )

    assert shown() == expected("time_ns")
    page.locator("#files .choice button", has_text="Bytes").click()
    assert shown() == expected("bytes")
    page.locator("#files .choice button", has_text="Operations").click()
    assert shown() == expected("calls")
    page.locator("#files th button", has_text="Written").click()
    assert shown() == expected("bytes_written")
    expect(page.locator("#files th[aria-sort=descending]")).to_have_text("Written")
    expect(page.locator("#files .choice [aria-pressed=true]")).to_have_count(0)  # Written is no rank
    page.locator("#files th button", has_text="Written").click()
    assert shown()[0] == expected("bytes_written", descending=False)[0]


def test_files_are_filtered(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    status = page.locator("#files [role=status]")
    expect(status).to_have_text("120 paths: 100 files, 20 directories")
    page.fill("#files input[type=search]", "DUMP_0003 rank")
    expect(status).to_have_text("6 of 120 paths")
    assert all("dump_0003" in name for name in page.locator("#files tr.opens .name").evaluate_all(
        "names => names.map(name => name.textContent)"))  # fmt: skip
    page.fill("#files input[type=search]", "no such name")
    expect(status).to_have_text("0 of 120 paths")
    page.fill("#files input[type=search]", "")
    page.get_by_label("All layers").select_option(label="stdio")
    layers: Any = samples.typical()[1]["files"]["layers"]
    expect(status).to_have_text(f"{int((layers.codes == 1).sum())} of 120 paths")


def test_a_file_opens_to_its_details(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    page.fill("#files input[type=search]", "table_0005")
    opener = page.locator("#files tr.opens .opener")
    expect(page.locator("#files [role=status]")).to_have_text("1 of 120 paths")
    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    details = page.locator("#files .details")
    expect(details.locator(".whole")).to_have_text("/home/someone/simulation/input/table_0005.dat")
    for words in ("Reads", "usual size", "unaligned", "mount", "first and last", "Opened by"):
        expect(details).to_contain_text(words)
    opener.click()
    expect(details).to_have_count(0)


def test_the_code_that_opened_a_file_is_told(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    sites: Any = samples.typical()[1]["files"]["site"]
    paths: Any = samples.typical()[1]["files"]["path"]
    page.fill("#files input[type=search]", paths[list(sites).index(0)].split("/", 3)[3])
    expect(page.locator("#files [role=status]")).to_contain_text(
        "of 120 paths"
    )  # the filter waits for the last key
    page.locator("#files tr.opens .opener").first.click()
    stack = page.locator("#files .details .stack")
    expect(stack).to_contain_text("write_checkpoint(Grid const&, int)")
    expect(stack).to_contain_text("checkpoint.cc:214")
    stack.locator("summary").click()
    expect(stack.locator("li")).to_have_count(2)
    expect(stack.locator("li").first).to_contain_text("inlined")


def test_the_python_line_comes_before_the_machine_code(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    page.locator("#code .opener").first.wait_for()
    row = page.locator("#code tr.opens", has_text="simulate.py")
    expect(row).to_contain_text("write_dump, simulate.py:42")
    row.locator(".opener").click()
    stack = page.locator("#code .details .stack")
    expect(stack.locator(".frame").first).to_have_text("write_dumpPython/home/someone/simulate.py:42")
    words = ["called from <module>, simulate.py:99", "by way of File.__init__", "machine code: H5Fcreate"]
    for summary, start in zip(stack.locator("summary").all(), words, strict=True):
        expect(summary).to_contain_text(start)


def test_100000_files_scroll_with_few_rows_in_the_document(open_page: Any, report: Any) -> None:
    page = open_page(report("huge"))
    scroller = page.locator("#files .scroller")
    assert scroller.evaluate("element => element.scrollHeight") > 2_900_000
    assert page.locator("#files tbody tr").count() < 100
    scroller.evaluate("element => { element.scrollTop = element.scrollHeight }")
    expect(page.locator("#files tr.opens").last).to_have_attribute("aria-rowindex", "100001")
    assert page.locator("#files tbody tr").count() < 100
    page.fill("#files input[type=search]", "rank_099999")
    expect(page.locator("#files [role=status]")).to_have_text("1 of 100,000 paths")
    expect(page.locator("#files")).to_contain_text("900,000 paths that matter least are not in this table")
    assert page.locator("#processes table").get_attribute("aria-rowcount") == "10001"


def test_tables_are_copied_as_csv(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"), permissions=["clipboard-read", "clipboard-write"])
    page.fill("#files input[type=search]", "dump_0003")
    expect(page.locator("#files [role=status]")).to_have_text("6 of 120 paths")
    rows = copied(page, "#files .copy")
    assert len(rows) == 6
    files: Any = samples.typical()[1]["files"]
    for row in rows:
        place = files["path"].index(row["path"])
        for key in ("time_ns", "bytes_written", "calls", "slowest_ns"):
            assert float(row[key]) == files[key][place]
    for section in ("time", "over-time", "sizes", "processes", "missing", "directories", "code"):
        for place in range(page.locator(f"#{section} .copy").count()):
            assert copied(page, f"#{section} .copy >> nth={place}"), section


def test_a_refused_clipboard_gives_a_file(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')) }")
    with page.expect_download() as download:
        page.locator("#processes .copy").click()
    assert download.value.suggested_filename == "processes.csv"
    rows = csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8")))
    assert len(list(rows)) == 11


def test_time_is_zoomed_by_dragging_and_reset(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    whole = page.get_by_role("button", name="Whole job")
    expect(whole).to_be_disabled()
    before = page.evaluate("document.querySelector('#over-time canvas').toDataURL()")
    plot = page.locator("#over-time .u-over").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, y, steps=4)
    page.mouse.up()
    expect(whole).to_be_enabled()
    zoomed = page.evaluate("[...document.querySelectorAll('#over-time canvas')].map(c => c.toDataURL())")
    assert zoomed[0] != before
    whole.click()
    expect(whole).to_be_disabled()
    page.get_by_role("button", name="Zoom in").click()
    expect(whole).to_be_enabled()
    plot.dblclick()
    expect(whole).to_be_disabled()


def test_the_cursor_is_linked_between_the_plots(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    plots = page.locator("#over-time .u-over")
    plots.first.scroll_into_view_if_needed()
    plots.first.hover()
    for legend in page.locator("#over-time .u-legend").all():
        expect(legend.locator(".u-series .u-value").nth(1)).to_have_text(re.compile(r"/s$"))


def test_the_theme_follows_the_system_and_the_reader(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"), color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    plot = "document.querySelector('#sizes canvas').toDataURL()"
    dark_plot = page.evaluate(plot)
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(background) != dark
    page.wait_for_timeout(100)
    assert page.evaluate(plot) != dark_plot
    page.reload()
    page.wait_for_selector("main[data-ready]")
    assert page.evaluate(background) != dark, "the choice is remembered"


def test_a_number_tells_its_definition(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    tooltip = page.locator("#tooltip")
    figure = page.locator("#figures .value.big").nth(2)
    figure.hover()
    expect(tooltip).to_be_visible()
    expect(tooltip).to_contain_text(definitions()["io_ns"], ignore_case=True)
    page.keyboard.press("Escape")
    expect(tooltip).to_be_hidden()
    page.mouse.move(0, 0)
    page.keyboard.press("Tab")
    for _ in range(60):
        if page.evaluate("document.activeElement.matches('#figures .value')"):
            break
        page.keyboard.press("Tab")
    expect(tooltip).to_be_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tooltip"
    page.locator("#files tr.opens td").nth(1).hover()
    expect(tooltip).to_contain_text(definitions()["time_ns"], ignore_case=True)


def test_every_figure_has_a_definition(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    page.locator("#files tr.opens .opener").first.click()
    terms = page.evaluate("[...document.querySelectorAll('[data-term]')].map(e => e.dataset.term)")
    assert {term for term in terms if term} <= definitions().keys()


def test_a_directory_filters_the_files(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    plot = page.locator("#directories canvas")
    plot.scroll_into_view_if_needed()
    before = page.evaluate("document.querySelector('#directories canvas').toDataURL()")
    plot.click(position={"x": 60, "y": 120})
    expect(page.locator("#files .chip")).to_be_visible()
    expect(page.locator("#files [role=status]")).to_have_text(re.compile(r"^\d+ of 120 paths$"))
    page.wait_for_timeout(200)
    assert page.evaluate("document.querySelector('#directories canvas').toDataURL()") != before, "it opened"
    page.locator("#files .chip").click()
    expect(page.locator("#files [role=status]")).to_have_text("120 paths: 100 files, 20 directories")
    for measure in ("Time", "Operations", "Files"):
        page.locator("#directories .choice button", has_text=measure).click()
        assert page.evaluate(PAINTED, "#directories canvas") == [True]


def test_the_process_tree_folds(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    rows = page.locator("#processes tbody tr[data-row]")
    expect(rows).to_have_count(11)
    page.locator("#processes .twig").nth(1).click()
    expect(rows).to_have_count(3)
    page.locator("#processes .twig").nth(1).click()
    expect(rows).to_have_count(11)
    page.locator("#processes .choice button", has_text="By time").click()
    expect(page.locator("#processes th[aria-sort=descending]")).to_have_text("In I/O")
    expect(page.locator("#processes")).to_contain_text("signal 9")


def test_sizes_are_shown_by_layer(open_page: Any, report: Any) -> None:
    page = open_page(report("typical"))
    rows = page.locator("#sizes tbody tr[data-row]")
    before = rows.count()
    page.locator("#sizes .choice button", has_text="stdio").click()
    assert 0 < rows.count() < before


def test_arrows_move_between_files(open_page: Any, report: Any) -> None:
    page = open_page(report("huge"))
    page.locator("#files tr.opens .opener").first.focus()
    for _ in range(40):
        page.keyboard.press("ArrowDown")
    focused = "document.activeElement.closest('tr').getAttribute('aria-rowindex')"
    assert page.evaluate(focused) == "42"
    page.keyboard.press("Enter")
    expect(page.locator("#files .details")).to_be_visible()


@pytest.mark.parametrize("name", ["typical", "hostile", "damaged"])
def test_a_phone_never_scrolls_sideways(name: str, open_page: Any, report: Any) -> None:
    page = open_page(report(name), phone=True)
    page.locator("#files tr.opens .opener").first.tap()
    expect(page.locator("#files .details")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.locator("#figures .value.big").first.tap()
    expect(page.locator("#tooltip")).to_be_visible()


def test_names_are_text_whatever_they_hold(open_page: Any, report: Any) -> None:
    page = open_page(report("hostile"))
    for opener in page.locator("#files tr.opens .opener").all()[:6]:
        opener.click()
    page.locator("#directories canvas").hover()
    assert page.evaluate("window.injected") is None
    assert page.locator("main script, main img, main iframe").count() == 0
    text = page.evaluate("document.querySelector('main').textContent")
    assert "<script>window.injected=1</script>" in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00\x1b\u05d0-\u05ea]", text)
    expect(page.locator("#files")).to_contain_text("line\\nbreak\\ttab\\rreturn")


def test_a_formula_is_copied_as_a_text(open_page: Any, report: Any) -> None:
    page = open_page(report("hostile"), permissions=["clipboard-read", "clipboard-write"])
    paths = [row["path"] for row in copied(page, "#files .copy")]
    assert "'=cmd|'/c calc'!A1,with,commas" in paths
    assert len(paths) == len(samples.HOSTILE)


def test_what_is_missing_is_said(open_page: Any, report: Any) -> None:
    empty = open_page(report("empty"))
    expect(empty.locator("#missing")).to_contain_text("Nothing is missing")
    expect(empty.locator("#files")).to_contain_text("No file was touched")
    damaged = open_page(report("damaged"))
    expect(damaged.locator("#complete")).to_contain_text("Log damaged")
    expect(damaged.locator("#missing")).to_contain_text("payload checksum differs")
    expect(damaged.locator("#job")).to_contain_text("-5.25 s")


def test_the_shell_is_painted_before_the_data_is_read(open_page: Any, report: Any) -> None:
    page = open_page(report("huge"))
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"first contentful paint of 100,000 files: {paint:.0f} ms")
    assert paint < 15_000  # one second on a machine that does nothing else


def test_a_cut_report_says_so(open_page: Any, report: Any, tmp_path: Path, chromium: Any) -> None:
    text = report("typical").read_text(encoding="utf-8")
    start = text.index('octet-stream">') + len('octet-stream">')
    cut = tmp_path / "cut.html"
    cut.write_text(text[: start + 4000] + text[text.index("</script>", start) :], encoding="utf-8")
    page = chromium.new_page()
    page.goto(cut.as_uri())
    expect(page.locator("main")).to_contain_text("the file was changed or cut")
    page.close()


def test_paper_gets_the_first_rows_of_a_table(open_page: Any, report: Any) -> None:
    page = open_page(report("huge"))
    rows = page.locator("#files tbody tr.opens")
    assert rows.count() < 100
    page.emulate_media(media="print")
    page.evaluate("() => { dispatchEvent(new Event('beforeprint')) }")
    page.set_viewport_size({"width": 794, "height": 1100})
    page.wait_for_timeout(300)
    expect(rows).to_have_count(200)
    expect(page.locator("#files .grid")).to_have_attribute("data-printed", "The first 200 of 100,000 rows.")
    expect(page.locator("#bar")).to_be_hidden()
    page.emulate_media(media="screen")
    page.evaluate("() => { dispatchEvent(new Event('afterprint')) }")
    assert rows.count() < 100

"""Makes XLSX files from the JSON on standard input: {library, books: [{path, sheets: [{name, rows, ...}]}]}."""

import datetime
import json
import sys


def value_of(cell):
    """The value of a cell, and its number format or None."""
    if not isinstance(cell, dict):
        return cell, None
    if "date" in cell:
        return datetime.datetime.fromisoformat(cell["date"]), cell.get("format", "yyyy-mm-dd")
    return cell["value"], cell.get("format")


def with_openpyxl(book):
    from openpyxl import Workbook
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment
    from openpyxl.styles import Font

    made = Workbook()
    made.remove(made.active)
    for sheet in book["sheets"]:
        page = made.create_sheet(sheet["name"])
        for y, row in enumerate(sheet["rows"], 1):
            for x, cell in enumerate(row, 1):
                value, form = value_of(cell)
                if value is None:
                    continue
                target = page.cell(y, x, value)
                if form:
                    target.number_format = form
                if y - 1 in sheet.get("bold", []):
                    target.font = Font(bold=True)
                if isinstance(cell, dict) and "comment" in cell:
                    target.comment = Comment(cell["comment"], "Ann")
        for area in sheet.get("merged", []):
            page.merge_cells(area)
        if sheet.get("hidden"):
            page.sheet_state = "hidden"
        if sheet.get("chart"):
            chart = BarChart()
            chart.add_data(Reference(page, min_col=2, min_row=1, max_row=len(sheet["rows"])))
            made.create_chartsheet("Diagram").add_chart(chart)
    made.save(book["path"])


def with_xlsxwriter(book):
    import xlsxwriter

    made = xlsxwriter.Workbook(book["path"])
    for sheet in book["sheets"]:
        page = made.add_worksheet(sheet["name"])
        covered = set()
        for area in sheet.get("merged", []):
            first, last = area.split(":")
            (y1, x1), (y2, x2) = (xlsxwriter.utility.xl_cell_to_rowcol(one) for one in (first, last))
            page.merge_range(area, sheet["rows"][y1][x1])
            covered |= {(y, x) for y in range(y1, y2 + 1) for x in range(x1, x2 + 1)}
        for y, row in enumerate(sheet["rows"]):
            for x, cell in enumerate(row):
                value, form = value_of(cell)
                if value is None or (y, x) in covered:
                    continue
                look = {"num_format": form} if form else {}
                if y in sheet.get("bold", []):
                    look["bold"] = True
                if isinstance(value, datetime.datetime):
                    page.write_datetime(y, x, value, made.add_format(look))
                else:
                    page.write(y, x, value, made.add_format(look))
                if isinstance(cell, dict) and "comment" in cell:
                    page.write_comment(y, x, cell["comment"])
        if sheet.get("table"):
            labels = [{"header": str(label)} for label in sheet["rows"][0]]
            page.add_table(0, 0, len(sheet["rows"]) - 1, len(labels) - 1, {"columns": labels})
        if sheet.get("hidden"):
            page.hide()
        if sheet.get("chart"):
            chart = made.add_chart({"type": "column"})
            chart.add_series({"values": f"={sheet['name']}!$B$2:$B$5"})
            made.add_chartsheet("Diagram").set_chart(chart)
    made.close()


task = json.load(sys.stdin)
for one in task["books"]:
    (with_openpyxl if task["library"] == "openpyxl" else with_xlsxwriter)(one)

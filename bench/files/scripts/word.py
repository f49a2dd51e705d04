"""Makes DOCX files with python-docx from the JSON on standard input: [{path, ops: [{op, ...}]}]."""

import json
import sys

from docx import Document
from docx.enum.text import WD_BREAK
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

NAMESPACES = (
    nsdecls("w", "r", "wp", "a")
    + ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    + ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    + ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    + ' xmlns:v="urn:schemas-microsoft-com:vml"'
)


def add_runs(paragraph, runs):
    for run in runs:
        made = paragraph.add_run(run["text"])
        made.bold = run.get("bold")
        made.font.hidden = run.get("hidden")
        made.font.strike = run.get("strike")
        if run.get("break"):
            made.add_break(WD_BREAK.LINE)


def fill_table(table, rows):
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            target = table.cell(y, x)
            if cell == "<":
                table.cell(y, x - 1).merge(target)
            elif cell == "^":
                table.cell(y - 1, x).merge(target)
            elif isinstance(cell, list):
                fill_table(target.add_table(len(cell), len(cell[0])), cell)
            else:
                target.text = cell


def add(document, op):
    kind = op["op"]
    if kind == "heading":
        document.add_heading(op["text"], op["level"])
    elif kind == "paragraph":
        add_runs(document.add_paragraph(style=op.get("style")), op["runs"])
    elif kind == "table":
        rows = op["rows"]
        fill_table(document.add_table(len(rows), len(rows[0]), style="Table Grid"), rows)
    elif kind == "xml":
        xml = f'<w:p {NAMESPACES}>{op["xml"]}</w:p>'
        document.add_paragraph()._p.addnext(parse_xml(xml))
    elif kind == "header":
        document.sections[0].header.paragraphs[0].text = op["text"]
    elif kind == "page":
        document.add_page_break()
    elif kind == "title":
        document.core_properties.title = op["text"]
    elif kind == "html":
        name = PackURI("/word/imported.htm")
        part = Part(name, "text/html", op["text"].encode(), document.part.package)
        relation = document.part.relate_to(part, RELATIONSHIP_TYPE.A_F_CHUNK)
        chunk = parse_xml(f'<w:altChunk {NAMESPACES} r:id="{relation}"/>')
        document.add_paragraph()._p.addnext(chunk)


for job in json.load(sys.stdin):
    document = Document()
    for op in job["ops"]:
        add(document, op)
    document.save(job["path"])

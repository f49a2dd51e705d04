"""Makes CSV files with Python's csv module from the JSON on standard input: [{path, rows, before, options}]."""

import csv
import json
import sys

for job in json.load(sys.stdin):
    options = {"lineterminator": "\r\n", **job["options"]}
    with open(job["path"], "w", newline="", encoding=job.get("encoding", "utf-8")) as file:
        file.write(job.get("before", ""))
        csv.writer(file, **options).writerows(job["rows"])

"""Makes mails with Python's email package from the JSON on standard input: {mails: [...], boxes: [...]}."""

import base64
import json
import mailbox
import sys
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.policy import SMTP
from pathlib import Path


def message_of(mail):
    made = EmailMessage(policy=SMTP)
    for name, value in mail["headers"].items():
        made[name] = value
    encoding = mail.get("encoding")
    if "text" in mail:
        options = {"charset": mail["charset"]} if "charset" in mail else {}
        made.set_content(mail["text"], **options, **({"cte": encoding} if encoding else {}))
    if "html" in mail:
        (made.add_alternative if "text" in mail else made.set_content)(mail["html"], subtype="html")
    for file in mail.get("files", []):
        main, _, sub = file["type"].partition("/")
        content = base64.b64decode(file["content"])
        disposition = file.get("disposition", "attachment")
        if main == "message":
            made.add_attachment(message_from_bytes(content, policy=SMTP))
        elif file.get("method"):
            part = MIMEPart(policy=SMTP)
            part.set_content(content.decode(), subtype=sub, charset="utf-8")
            part.set_param("method", file["method"])
            made.make_mixed()
            made.attach(part)
        else:
            made.add_attachment(content, main, sub, filename=file["name"], disposition=disposition)
    return made


def bytes_of(mail):
    if "raw" in mail:
        return base64.b64decode(mail["raw"])
    return message_of(mail).as_bytes()


task = json.load(sys.stdin)
for mail in task["mails"]:
    Path(mail["path"]).write_bytes(bytes_of(mail))
for box in task["boxes"]:
    made = mailbox.mbox(box["path"])
    for mail in box["mails"]:
        made.add(bytes_of(mail))
    made.close()

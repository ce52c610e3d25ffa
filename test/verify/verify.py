"""Judges a folder of reports by docs/report-format.md alone: python3 verify.py FOLDER KEY.pem (needs openssl)."""
import csv, hashlib, json, os, re, subprocess, sys, uuid
from collections import Counter, defaultdict
from datetime import datetime, timezone
from decimal import Decimal

STATES = "invalid skipped held ready sending accepted in_doubt completed failed cancelled".split()
MANIFEST = set("format batch_id run_id account program version as_of previous status input_sha256 content_sha256 masked audit files public_key".split())
SUMMARY = set("""format batch_id run_id account program status input_sha256 content_sha256 service sandbox pause rejection file_name created_by
  approved_by approvals rows requested charged refunded contradicted paid_twice in_doubt overdue balance times problems failures audit version as_of previous difference difference_unknown""".split())
COLUMNS = """row row_ref status phone_number network_id amount currency product_id generation attempts topup_id reference idempotency_key service_status
  provider_reference cost cost_currency failure_code failure_reason first_sent_at completed_at""".split()
LATER = "sms_message line failure_column refunded_at refund_amount refund_currency contradicted second_topup_id".split()
# The names inside the members of both JSON files ("[]": of each entry of a list, which has all but those with "?"). Inside
# all other members names are data, and stand for amounts, except in COUNTS.
INSIDE = {"approvals": "needed given", "approvals.given[]": "person at", "rows": "total valid by_status with_product with_product_completed",
  "requested": "by_status valid completed", "pause": "reason detail", "charged": "by_status completed total earlier earlier_came_back rows_without_cost",
  "refunded": "rows amounts", "contradicted": "rows with_product requested", "paid_twice": "rows first", "paid_twice.first[]": "row topup_id second_topup_id",
  "in_doubt": "rows left_to_person requested oldest_sent_at", "overdue": "rows requested oldest_sent_at", "failures.*": "rows reason other_reasons",
  "balance": "before_read_at after_read_at wallets explanation explained uncertain", "balance.wallets[]": "wallet_id name? currency before after difference",
  "balance.explanation[]": "currency difference charged_by_this_batch charged_late? charged_by_other_batches came_back? unexplained",
  "balance.uncertain": "charges first", "balance.uncertain.first[]": "batch_id row topup_id first_sent_at amount currency counted",
  "audit": "events head broken", "previous": "version as_of events head manifest_sha256", "files[]": "name bytes sha256",
  "times": "created_at approved_at started_at completed_at finish_by in_time duration_ms active_ms", "difference": "rows columns late forgotten before after",
  "difference.before": "rows paid charged refunded", "difference.after": "rows paid charged refunded",
  "difference.before.refunded": "rows amounts", "difference.after.refunded": "rows amounts"}
# What rows in these states do not have; service_status stays if an earlier payment of a held row may have arrived.
UNPAID, PAYMENT = "invalid skipped cancelled held ready".split(), "topup_id provider_reference cost cost_currency completed_at service_status".split()
FOLLOWED, LEFT = "row.send row.doubt row.accept row.adopt".split(), "row.unsent row.escalate row.review row.complete row.fail".split()
FILES = set("results.csv summary.json events.jsonl results.xlsx report.html failed.csv failed.xlsx anchors.json difference.csv".split())
SPACE = uuid.UUID("6f0f6a52-94b1-5f0e-8d6c-0a8d6b6f2c11")
COUNTS = r"(rows\.by_status|problems|difference\.(columns|late|before\.rows|after\.rows))\.\*"
WHOLE, AMOUNT, TIME = r"(0|[1-9]\d*)", r"(0|[1-9]\d*)(\.\d+)?", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
CELLS = {"network_id": f"({WHOLE})?", "generation": r"[1-9]\d*", "attempts": WHOLE, "line": WHOLE, **dict.fromkeys(("amount", "cost", "refund_amount"), f"({AMOUNT})?"),
  **dict.fromkeys(("first_sent_at", "completed_at", "refunded_at"), f"({TIME})?")}
escaped = lambda text: re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", text)
compact = lambda value: escaped(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
digest = lambda data: hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()
iso = lambda ms: datetime.fromtimestamp(ms / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z" if ms else ""
plain = lambda cell: re.sub(r"^'(?=[=+\-@\t\r\n＝＋－＠])(?!\+\d{7,15}$)", "", re.sub(r"(?<=[;\t\r\n])'(?=\"*[=+\-@＝＋－＠])", "", cell))


def need(true, message):
    if not true:
        sys.exit(f"NOT PROVEN: {message}")


def read(*path):
    need(os.path.isfile(os.path.join(*path)) and not os.path.islink(os.path.join(*path)), f"{path[-1]} is not an ordinary file")
    return open(os.path.join(*path), "rb").read()


def read_json(folder, name, names):
    data = read(folder, name)
    value = json.loads(data, parse_float=lambda number: need(False, f"{name} is in another form"))
    need(data == (escaped(json.dumps(value, indent=2, ensure_ascii=False)) + "\n").encode(), f"{name} is in another form")
    need(set(value) <= names and b'"__proto__"' not in data, f"{name} has a name that is not known")
    for member, inner in value.items():
        check_form(name, member, inner)
    return value


def check_form(name, path, value):
    names = INSIDE.get(path, "").split()
    if isinstance(value, dict):
        listed = {one.rstrip("?") for one in names}
        required = {one for one in names if path.endswith("[]") and not one.endswith("?")}
        need(not names or required <= set(value) <= listed, f"{name} has a name that is not known in {path}, or lacks one")
        for member, inner in value.items():
            check_form(name, f"{path}.{member if names else '*'}", inner)
    elif isinstance(value, list):
        for inner in value:
            check_form(name, path + "[]", inner)
    elif names:
        need(value is None, f"{name} has {path} in another form")
    elif re.search(r"(_at|finish_by|as_of|\.at)$", path):
        need(value is None or re.fullmatch(TIME, value), f"{name} has {path} in another form")
    elif path.endswith("*"):
        fits = type(value) is int and value >= 0 if re.fullmatch(COUNTS, path) else isinstance(value, str) and re.fullmatch("-?" + AMOUNT, value)
        need(fits, f"{name} has {path} in another form")


def check_manifest(folder, key):
    manifest = read_json(folder, "manifest.json", MANIFEST)
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", folder + "/manifest.json", "-sigfile", folder + "/manifest.sig"]
    need(subprocess.run(command, capture_output=True).returncode == 0, "the signature does not fit")
    need(manifest["format"] == "airbatch.manifest/1" and manifest["public_key"] == open(key).read(), "another format or key")
    named = [file["name"] for file in manifest["files"]]
    need(len(set(named)) == len(named) and set(named) <= FILES, "the manifest names files that reports do not have")
    need(set(os.listdir(folder)) - {"versions"} == {*named, "manifest.json", "manifest.sig"}, "there are other files")
    for file in manifest["files"]:
        data = read(folder, file["name"])
        need((len(data), digest(data)) == (file["bytes"], file["sha256"]), f"{file['name']} was changed")
    need(len(read(folder, "manifest.sig")) == 64, "the signature does not fit")
    return manifest


def check_chain(folder, manifest):
    previous, events, rows = "0" * 64, [], defaultdict(lambda: {"state": None, "sent": None, "end": None, "attempts": 0, "first": 0, "held": False})
    *lines, rest = read(folder, "events.jsonl").decode().split("\n")
    need(rest == "" and len(lines) == manifest["audit"]["events"], "the chain has another number of events")
    for seq, line in enumerate(lines, 1):
        event = json.loads(line)
        fields = [event[name] for name in ("batch_id", "seq", "at", "actor", "kind", "row_no", "body")]
        need(list(event) == ["batch_id", "seq", "at", "actor", "kind", "row_no", "body", "hash"] and line == compact(event), f"event {seq} is in another form")
        body = event["data"] = json.loads(event["body"])
        need(event["body"] == compact(dict(sorted(body.items()))), f"the body of event {seq} is in another form")
        need(re.fullmatch("cli|console|api|library|serve|job:.*", body.get("through") or "cli"), f"event {seq} came through an unknown door")
        previous = digest(previous + compact(fields))
        need(event["seq"] == seq and event["batch_id"] == manifest["batch_id"] and event["hash"] == previous, f"event {seq} does not follow")
        events.append(event)
        row, kind = rows[event["row_no"]], event["kind"]
        row["state"] = body.get("to", row["state"])
        if kind == "row.retry" or kind == "row.doubt" and body.get("from") == "ready":
            row["sent"] = row["end"] = None
        row["sent"] = (str(body["generation"]), body["key"]) if kind == "row.send" else row["sent"]
        row["end"] = {**body, "kind": kind, "actor": event["actor"]} if kind in ("row.complete", "row.fail") else row["end"]
        note_sending(row, kind, event["at"], body)
    need(previous == manifest["audit"]["head"] and manifest.get("as_of") in (None, iso(events[-1]["at"])), "the chain ends in another head")
    anchors = json.loads(read(folder, "anchors.json")) if any(file["name"] == "anchors.json" for file in manifest["files"]) else []
    for head in [*anchors, *filter(None, [manifest.get("previous")])]:
        need(0 < head["events"] <= len(events) and events[head["events"] - 1]["hash"] == head["head"], "a head that is known is not in the chain")
    return events, rows


def note_sending(row, kind, at, body):
    """How often a row was sent under its generation, and when first; None: an event of an earlier version does not say."""
    if kind == "row.send":
        row["attempts"] = body["attempt"]
        if body.get("from") == "ready":
            row["first"], row["held"] = at, False
    elif kind == "row.unsent" and body.get("outcome") != "not_sent":
        row["attempts"] = max(0, row["attempts"] - 1)
    elif kind == "row.retry":
        row["attempts"] = row["first"] = 0
    elif kind == "row.doubt" and body.get("from") == "ready":
        row["first"] = body.get("first_sent_at")
    elif kind == "row.hold" and body.get("why") == "MAY_BE_PAID" and body.get("first_sent_at", 0) is not None:
        row["first"], row["held"] = 0 if "first_sent_at" in body else None, True
    elif kind in ("row.complete", "row.fail") and "completed_at" not in body:
        row["first"] = None


def failure_in(end):
    """The failure code and reason of a row by the event that ended it; None if it does not say."""
    if end.get("as") in ("paid", "not-paid"):
        return "RESOLVED_" + end["as"].upper().replace("-", "_"), f"{end['actor']}: {end.get('evidence') or ''}"
    if end["kind"] == "row.complete":
        return "", ""
    names = ("failure_code", "failure_reason") if "failure_code" in end else ("code", "message")
    return (end[names[0]] or "", end.get(names[1]) or "") if names[0] in end else (None, "")


def letters(text):
    return re.sub(r"[\W\d_]+", "", text.replace("[number]", ""))


def readings(cell):
    """The amounts that a cell of the file may stand for; none where it shows no one number."""
    text = re.sub(r"[^\W\d_]+\.?|[$£¥₠-₿]", " ", cell.replace("\u066b", ".").strip(" ='\""))
    text = re.sub(r"/[=\-–]|[.,][-–]{1,2}(?=\s*$)", "", text).strip().lstrip("+")
    if re.fullmatch(r"\d{1,3}(?:(?:['’ʼ٬]|\s+)\d{3})+(?:[.,]\d+)?", text):
        text = re.sub(r"['’ʼ٬\s]", "", text)
    found = re.fullmatch(r"([\d.,]*?)([.,]?)(\d+)", text)
    whole, sign, fraction = found.groups() if found else ("", None, "")
    amounts = [fraction] if sign == "" else []
    if sign and sign not in whole:
        amounts.append(re.sub("[.,]", "", whole) + "." + fraction)
    if sign and len(fraction) == 3 and not re.search("[.,]", whole.replace(sign, "")):
        amounts.append(whole.replace(sign, "") + fraction)
    return [Decimal(amount) for amount in amounts]


def check_results(folder, manifest, events, rows, summary):
    is_forgotten, before = any(event["kind"] == "batch.forget" for event in events), summary["balance"]["before_read_at"] or ""
    place = next((event["data"].get("amount_column") for event in events if event["kind"] == "batch.validate"), None)
    content, keys, line, totals = hashlib.sha256(), set(), 0, {"kept": [], "early": Counter(), "counts": Counter(), "requested": Counter(), "charged": Counter(), "problems": Counter(), "failures": Counter(), "refunded": 0, "contradicted": 0, "paid_twice": 0, "odd": ""}
    with open(os.path.join(folder, "results.csv"), encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        names, inputs = reader.fieldnames, [name for name in reader.fieldnames if name.startswith("input_")]
        need(names == COLUMNS + inputs + [name for name in LATER if name in names], "results.csv has other columns")
        for number, cells in enumerate(reader, 1):
            need(None not in cells and None not in cells.values() and cells["row"] == str(number), f"row {number} is missing or moved")
            row, state, ref, key = rows[number], cells["status"], plain(cells["row_ref"]), cells["idempotency_key"]
            wrong = [name for name, form in CELLS.items() if not re.fullmatch(form, cells.get(name, "1" if name == "line" else ""))]
            need(not wrong and ("line" not in cells or int(cells["line"]) > line), f"row {number} has {' '.join(wrong) or 'line'} in another form")
            line = int(cells.get("line", 0))
            need(state in STATES and (row["state"] == state or row["state"] is None and state in ("invalid", "held", "ready", "skipped")), f"row {number} has another state")
            need(cells["attempts"] == str(row["attempts"]) and (row["first"] is None or cells["first_sent_at"] == iso(row["first"])), f"row {number} was sent at another time, or another number of times")
            need(state not in UNPAID or not any(cells[name] for name in PAYMENT[: -1 if row["held"] else None]), f"row {number} was never paid, and says that it was")
            need(cells["first_sent_at"] or cells["attempts"] != "0" or not (key or cells["reference"]), f"row {number} has a key or reference, and was never sent")
            if key:
                need(key not in keys, f"row {number} has a key that was used before")
                keys.add(key)
                need((cells["generation"], key) == row["sent"] or row["sent"] is None, f"row {number} has another key than was sent")
                names = compact([manifest["account"], manifest["run_id"], ref, int(cells["generation"])])
                tail = "" if cells["generation"] == "1" else "~" + cells["generation"]
                need(manifest["masked"] or plain(cells["reference"]) == f"{manifest['run_id']}/{ref}{tail}", f"row {number} has another reference")
                need(manifest["masked"] or key == str(uuid.uuid5(SPACE, names)), f"row {number} has a key that is not its own")
            if row["end"]:
                for name in ("topup_id", "cost", "cost_currency", "service_status"):
                    need(plain(cells[name]) == (row["end"].get(name) or ""), f"row {number} has another {name} than the chain")
                need("completed_at" not in row["end"] or cells["completed_at"] == iso(row["end"]["completed_at"]), f"row {number} ended at another time")
                code, reason = failure_in(row["end"])
                need(code is None or plain(cells["failure_code"]) == code, f"row {number} has another failure_code than the chain")
                need(code is None or manifest["masked"] or is_forgotten or letters(cells["failure_reason"]) == letters(reason), f"row {number} has another failure_reason than the chain")
            name = inputs[place] if place is not None and place < len(inputs) and inputs.count(inputs[place]) == 1 else None
            amounts = readings(plain(cells[name])) if name and state not in ("invalid", "skipped") else []
            if amounts and Decimal(cells["amount"] or "-1") not in amounts:
                totals["odd"] = totals["odd"] or f"row {number} has {cells['amount'] or 'no'} as its amount, and {cells[name]} as {name}"
            totals["counts"][state] += 1
            if state in ("in_doubt", "accepted", "failed") or cells["product_id"] or cells.get("second_topup_id") or not cells["cost"]:
                totals["kept"].append(cells)
            if cells["cost"] and "" < cells["first_sent_at"] < before:
                totals["early"][cells["cost_currency"]] += Decimal(cells["cost"])
            codes = plain(cells["failure_code"]).split("; ") if state in ("invalid", "held", "skipped") else []
            totals["problems"].update(filter(None, codes))
            totals["failures"].update([plain(cells["failure_code"]) or "UNKNOWN"] if state == "failed" and not cells.get("contradicted") else [])
            for what, column in (("refunded", "refunded_at"), ("contradicted", "contradicted"), ("paid_twice", "second_topup_id")):
                totals[what] += bool(cells.get(column)) and (what != "refunded" or state == "completed")
            if state != "invalid":
                totals["requested"][state, cells["currency"]] += Decimal(cells["amount"] or 0)
                totals["charged"][state, cells["cost_currency"]] += Decimal(cells["cost"] or 0)
            texts = [plain(cells[name]) or None for name in ("amount", "currency", "product_id")] + [plain(cells.get("sms_message", "")).strip() or None]
            content.update((compact([number, ref or None, state != "invalid", cells["phone_number"] or None, int(cells["network_id"]) if cells["network_id"] else None, *texts]) + "\n").encode())
    return content.hexdigest(), totals


def active(events):
    followed, total, last = set(), 0, None
    for event in (one for one in events if one["kind"] in FOLLOWED + LEFT):
        passed = 0 if last is None else max(0, event["at"] - last)
        total += passed if followed or passed <= 120_000 else 0
        last = max(event["at"], last or 0)
        (followed.add if event["kind"] in FOLLOWED else followed.discard)(event["row_no"])
    return total


def sums(pairs):
    """Amounts by currency, without those that are zero."""
    found = Counter()
    for currency, value in pairs:
        found[currency] += Decimal(value or 0)
    return {currency: value for currency, value in found.items() if value}


def check_facts(summary, manifest, events, told, totals):
    """The members of summary.json that follow from the chain or from the rows, by their place; None: nothing is known of them."""
    of = lambda *states: [cells for cells in totals["kept"] if cells["status"] in states]
    asked = lambda rows: sums((cells["currency"], cells["amount"]) for cells in rows)
    doubts, late = of("in_doubt"), [cells for cells in of("accepted") if cells["failure_code"] == "overdue"]
    against, second = ([cells for cells in totals["kept"] if cells.get(name)] for name in ("contradicted", "second_topup_id"))
    products = [cells for cells in totals["kept"] if cells["product_id"] and cells["status"] not in ("invalid", "skipped")]
    oldest = lambda rows: min((cells["first_sent_at"] for cells in rows if cells["first_sent_at"]), default=None)
    started = next((event["at"] for event in events if event["kind"] in ("batch.start", "batch.resume")), None)
    ended = told["batch.complete"] if summary["status"] == "completed" else None
    due = told.get("batch.reorder", told["batch.received"])["data"].get("finish_by", summary["times"].get("finish_by"))
    due = iso(due) if isinstance(due, int) else due
    lasted = ended and started and ended["at"] - started
    failed = defaultdict(list)
    for cells in of("failed"):
        if not cells.get("contradicted"):
            failed[plain(cells["failure_code"]) or "UNKNOWN"].append(plain(cells["failure_reason"]))
    counts, balance = totals["counts"], summary["balance"]
    expected = {
      "sandbox": summary["service"] == "embedded sandbox", "rows.valid": counts.total() - counts["invalid"] - counts["skipped"],
      "rows.with_product": len(products), "rows.with_product_completed": sum(cells["status"] == "completed" for cells in products),
      "charged.rows_without_cost": sum(not cells["cost"] for cells in of("completed")),
      "contradicted.with_product": sum(not cells["amount"] for cells in against), "contradicted.requested": asked(against),
      "paid_twice.first": [{"row": int(cells["row"]), **{name: plain(cells[name]) for name in ("topup_id", "second_topup_id")}} for cells in second[:50]],
      "in_doubt.requested": asked(doubts), "in_doubt.oldest_sent_at": oldest(doubts),
      "overdue.rows": len(late), "overdue.requested": asked(late), "overdue.oldest_sent_at": oldest(late),
      "times.started_at": iso(started) or None, "times.completed_at": ended and iso(ended["at"]), "times.finish_by": due,
      "times.in_time": iso(ended["at"]) <= due if ended and due else None, "times.duration_ms": lasted, "times.active_ms": None if lasted is None else active(events),
      **{("failures", code, name): value for code, reasons in failed.items() for name, value in
        (("reason", reasons[0] or None), ("other_reasons", sum(reason != reasons[0] for reason in reasons)))},
    }
    for when, event in (("before", told.get("batch.approve")), ("after", ended)):
        data = event["data"] if event else {"balance": None, "balance_read_at": None}
        if "balance" in data:
            if "balance_read_at" in data:
                expected[f"balance.{when}_read_at"] = iso(data["balance_read_at"]) or None
            held = {wallet["wallet_id"]: wallet[when] for wallet in balance["wallets"] if wallet[when] is not None}
            need(held == json.loads(data["balance"] or "{}"), f"the wallets held something else {when} it")
    for place, value in expected.items():
        said = summary
        for name in place.split(".") if isinstance(place, str) else place:
            said = said.get(name, {}) if isinstance(said, dict) else {}
        if said == {} and value != {} or manifest["masked"] and "other_reasons" in place:
            continue
        need((sums(said.items()) if isinstance(value, dict) else said) == value, f"{place} is another")
    need(("difference_unknown" in summary and summary["difference_unknown"] is not None) == bool(summary.get("previous") and not summary.get("difference")), "difference_unknown is another")
    need(summary["in_doubt"].get("left_to_person", 0) <= len(doubts), "in_doubt.left_to_person is another")
    check_wallets(balance, summary["charged"]["total"], totals["early"])


def check_wallets(balance, charged, early):
    wallets, parts = balance["wallets"], balance["explanation"]
    for one in wallets:
        left = None if None in (one["before"], one["after"]) else Decimal(one["before"]) - Decimal(one["after"])
        need((one["difference"] and Decimal(one["difference"])) == left, "another amount left a wallet")
    if not parts and None in (balance["before_read_at"], balance["after_read_at"]):
        return
    named = {one["currency"] for one in wallets}
    # Wallets without a currency are compared all together, and stand for every currency that no other wallet names.
    place = lambda currency: "" if "" in named and currency not in named else currency
    left = sums((one["currency"], Decimal(one["before"] or 0) - Decimal(one["after"] or 0)) for one in wallets)
    need(sums((one["currency"], one["difference"]) for one in parts) == left and named <= {one["currency"] for one in parts}, "another amount left the wallets")
    own = lambda sent_before: sums([(place(currency), value) for currency, value in charged.items()] + [(place(currency), -value) for currency, value in sent_before.items()])
    for one in parts:
        value = lambda name: Decimal(one.get(name) or 0)
        explained = sum(value(name) for name in ("charged_by_this_batch", "charged_late", "charged_by_other_batches", "unexplained"))
        need(value("difference") == explained - value("came_back"), "the explanation of the wallets does not add up")
        need(value("charged_by_this_batch") in (own({}).get(one["currency"], 0), own(early).get(one["currency"], 0)), "the wallets are explained by other charges")
    need(balance["explained"] == all(not Decimal(one["unexplained"]) for one in parts), "explained is another")


def check_summary(manifest, summary, events, content, totals):
    told = {event["kind"]: event for event in events if event["row_no"] is None}
    need(summary["format"] == "airbatch.summary/1", "another format")
    need("broken" not in summary["audit"], "the summary says that the chain is broken")
    for name in ("batch_id", "run_id", "account", "program", "status", "input_sha256", "content_sha256", "audit", "version", "as_of", "previous"):
        need(summary.get(name) == manifest.get(name) or name == "status" and name not in manifest, f"the summary has another {name}")
    if not manifest["masked"] and "batch.forget" not in told and "batch.validate" in told:
        for said in (manifest["content_sha256"], *(told[kind]["data"]["content_sha256"] for kind in ("batch.validate", "batch.approve") if kind in told)):
            need(content == said, f"the rows are not those that were validated and approved. {totals['odd']}")
    need(not totals["odd"], totals["odd"])
    need(+Counter(summary["rows"]["by_status"]) == totals["counts"] and summary["rows"]["total"] == totals["counts"].total(), "the counts are others")
    said = {"problems": summary.get("problems", totals["problems"]), "failures": {code: each["rows"] for code, each in summary["failures"].items()} if "failures" in summary else totals["failures"]}
    said |= {what: summary.get(what, {"rows": 0})["rows"] for what in ("refunded", "contradicted", "paid_twice", "in_doubt")}
    for what in said:
        need(said[what] == (totals[what] if what in totals else totals["counts"]["in_doubt"]), f"the counts of {what} are others")
    for what in ("requested", "charged"):
        said = {(state, currency): Decimal(value) for state, sums in summary[what]["by_status"].items() for currency, value in sums.items()}
        parts = [(currency, value) for (state, currency), value in said.items() if what == "charged" or state != "skipped"]
        parts += [(currency, Decimal(value)) for currency, value in summary[what].get("earlier", {}).items()]
        for name, expected in (("completed", [(at[1], value) for at, value in said.items() if at[0] == "completed"]), ("valid" if what == "requested" else "total", parts)):
            sums = Counter()
            for currency, value in expected:
                sums[currency] += value
            need({at: Decimal(value) for at, value in summary[what][name].items() if Decimal(value)} == {at: value for at, value in sums.items() if value}, f"sums of {what} are others")
        need({at: sum_ for at, sum_ in said.items() if sum_} == {at: sum_ for at, sum_ in totals[what].items() if sum_}, f"sums of {what} are others")
    received, approved = told["batch.received"], told.get("batch.approve")
    need(all(received["data"][name] == summary[name] for name in ("run_id", "account", "created_by")) and summary["service"] == (told.get("batch.service_moved") or {"data": {"to": received["data"]["service"]}})["data"]["to"], "another batch was received")
    states = [event["data"]["to"] for event in events if event["row_no"] is None and "to" in event["data"]]
    need(summary["status"] == (["received"] + states)[-1], "the batch has another state")
    need(received["data"]["file_sha256"] == summary["input_sha256"] and iso(received["at"]) == summary["times"]["created_at"], "another file was received")
    needed, given = 0, []
    for event in events:
        kind, data = event["kind"], event["data"]
        needed = data.get("approvals_needed", 1 if kind in ("batch.ask_approval", "batch.request_approval") else needed)
        given = [] if kind == "batch.void_approvals" else given
        if kind == "batch.give_approval" or kind == "batch.approve" and needed > 0:
            given = [one for one in given if all(one["data"].get(name) == data.get(name) for name in ("content_sha256", "rows", "products", "sums"))] + [event]
    told_given = [{"person": event["actor"], "at": iso(event["at"])} for event in given]
    said_given, by_time = summary.get("approvals", {"given": told_given})["given"], lambda one: (one["at"], one["person"])
    need(sorted(said_given, key=by_time) == sorted(told_given, key=by_time), "other people approved it")
    need(not approved or len({event["actor"] for event in given}) >= needed == summary.get("approvals", {"needed": needed})["needed"], "too few people approved it")
    need(summary["approved_by"] == (approved and approved["actor"]) and (summary["times"]["approved_at"] or "") == iso(approved and approved["at"]), "another person approved it")
    check_facts(summary, manifest, events, told, totals)


folder, key = sys.argv[1].rstrip("/"), sys.argv[2]
try:
    manifest = check_manifest(folder, key)
    events, rows = check_chain(folder, manifest)
    summary = read_json(folder, "summary.json", SUMMARY)
    check_summary(manifest, summary, events, *check_results(folder, manifest, events, rows, summary))
except (ValueError, LookupError, TypeError, AttributeError, csv.Error) as error:
    need(False, f"a file cannot be read: {error!r}")
print(f"PROVEN: batch {manifest['batch_id']}, {len(events)} events")

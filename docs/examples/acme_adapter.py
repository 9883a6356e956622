"""The adapter of an imagined chat, in Python with nothing but its standard library: the contract needs no SDK.

PORT (8080) is where it listens, on 127.0.0.1; ACME_API_URL is the chat's API. Run it and check it:

    PORT=8080 ACME_API_URL=http://127.0.0.1:9099 python3 acme_adapter.py
    npx gatehouse adapter check http://127.0.0.1:8080/acme --fixtures template/conformance --provider-port 9099
"""

import base64
import hashlib
import hmac
import json
import os
import re
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API_URL = os.environ.get("ACME_API_URL", "https://api.acme.example")
TIMEOUT_SECONDS = float(os.environ.get("ACME_TIMEOUT_SECONDS", "10"))
MAX_LENGTH = 2000
TOLERANCE_SECONDS = 300
ZERO_WIDTH_SPACE = "\u200b"

MANIFEST = {
    "schema_version": "1.0",
    "slug": "acme",
    "name": "Acme Chat (bidirectional)",
    "description": "Receives the messages of Acme Chat channels and answers in their threads.",
    "category": "communication",
    "capabilities": ["send", "receive"],
    "credentials": [
        {"key": "ACME_TOKEN", "type": "api_key", "label": "Access token", "maps_to": "token"},
        {"key": "ACME_SIGNING_SECRET", "type": "text", "label": "Signing secret", "maps_to": "signing_secret"},
    ],
    "message": {"max_length": MAX_LENGTH, "threads": True},
}


class Failure(Exception):
    """A call of the provider that brought no good answer."""

    def __init__(self, code, retryable=False, status=None, retry_after=None):
        super().__init__(code)
        self.code = code
        self.detail = {"message": f"the provider: {code}", "retryable": retryable}
        if status is not None:
            self.detail["provider_status"] = status
        if retry_after is not None and retry_after.isdigit():
            self.detail["retry_after"] = int(retry_after)


def call_acme(credentials, path, body=None):
    request = urllib.request.Request(
        API_URL + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {credentials.get('token')}", "content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        codes = {401: "auth_failed", 403: "permission_denied", 404: "not_found", 429: "rate_limited"}
        code = codes.get(error.code, "provider_unavailable" if error.code >= 500 else "invalid_request")
        retryable = code in ("rate_limited", "provider_unavailable")
        raise Failure(code, retryable, error.code, error.headers.get("retry-after")) from None
    except (TimeoutError, socket.timeout):
        raise Failure("timeout") from None
    except (urllib.error.URLError, ValueError, OSError):
        raise Failure("provider_unavailable", True) from None


def verify(call):
    try:
        me = call_acme(call.get("credentials") or {}, "/me")
    except Failure as failure:
        down = failure.code in ("provider_unavailable", "rate_limited", "timeout")
        return {"ok": False, "error": "provider_unavailable" if down else "auth_failed"}
    return {"ok": True, "user": me["name"], "account": {"id": me["id"], "name": me["name"]}}


def webhook_body(request):
    body = request.get("body") or ""
    return base64.b64decode(body) if request.get("body_encoding") == "base64" else body.encode()


def verify_webhook(call):
    secrets = (call.get("credentials") or {}).get("signing_secret") or []
    secrets = [secrets] if isinstance(secrets, str) else secrets
    if not secrets:
        return {"ok": False, "error": "not_configured"}
    request = call.get("request") or {}
    headers = {name.lower(): value for name, value in (request.get("headers") or {}).items()}
    signature, timestamp = headers.get("x-acme-signature"), headers.get("x-acme-timestamp")
    if not signature or not timestamp:
        return {"ok": False, "error": "missing_signature"}
    received_at = datetime.fromisoformat(call["received_at"]).timestamp()
    if not timestamp.isdigit() or abs(received_at - int(timestamp)) > TOLERANCE_SECONDS:
        return {"ok": False, "error": "stale_timestamp"}
    payload = timestamp.encode() + b"." + webhook_body(request)
    expected = [hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest() for secret in secrets]
    if any([hmac.compare_digest(signature, each) for each in expected]):
        return {"ok": True, "scheme": "acme"}
    return {"ok": False, "error": "bad_signature"}


def ignored(reason):
    metadata = {"ignored_reason": reason}
    return {"event_type": "ignored", "sender": "unknown", "message": "", "is_bot": False, "metadata": metadata}


def parse_inbound(call):
    try:
        event = json.loads(webhook_body(call.get("request") or {}))
    except (ValueError, RecursionError):
        return ignored("not_json")
    if not isinstance(event, dict):
        return ignored("not_an_object")
    if event.get("type") == "challenge":
        return {**ignored("handshake"), "event_type": "challenge", "challenge_response": event.get("challenge")}
    user = event.get("user")
    if event.get("type") not in ("message", "message_edited") or not isinstance(user, dict):
        return ignored("unknown_event")
    is_self = user.get("id") == (call.get("self") or {}).get("id")
    edit = f":{event.get('edited_at')}" if event["type"] == "message_edited" else ""
    return {
        "event_type": "message_received" if edit == "" else "message_edited",
        "sender": str(user.get("id")),
        "message": str(event.get("text")),
        "is_bot": is_self or user.get("bot") is True,
        "dedup_key": f"acme:{event.get('channel')}:{event.get('id')}{edit}",
        "thread_id": str(event.get("thread") or event.get("id")),
        "metadata": {
            "channel_address": str(event.get("channel")),
            "is_self": is_self,
            "sender": {"name": str(user.get("name"))},
        },
    }


def neutralise(text):
    text = re.sub(r"<!(\w+)(?:\|[^<>]*)?>", rf"@{ZERO_WIDTH_SPACE}\1", text)
    return re.sub(r"@(?=(?:here|channel|everyone|all)\b)", f"@{ZERO_WIDTH_SPACE}", text, flags=re.IGNORECASE)


def split(text, limit):
    """Parts of at most `limit` characters, cut at a line or a space; code fences are closed and opened again."""
    parts, opening = [], ""
    while text:
        if len(opening) + len(text) <= limit:
            return [*parts, opening + text]
        room = limit - len(opening) - len("\n```")
        cut = max(text.rfind("\n", 1, room), text.rfind(" ", 1, room))
        cut = cut if cut > 0 else room
        part = opening + text[:cut]
        is_open = len(re.findall(r"^```", part, flags=re.MULTILINE)) % 2 == 1
        parts.append(part + ("\n```" if is_open else ""))
        opening = "```\n" if is_open else ""
        text = text[cut:].lstrip(" \n")
    return parts


def deliver(call):
    message = call.get("message") or {}
    text, channel = message.get("text"), call.get("channel_address")
    if not isinstance(text, str) or text.strip() == "" or not isinstance(channel, str):
        detail = {"message": "message.text and channel_address are required", "retryable": False}
        return {"ok": False, "error": "invalid_request", "error_detail": detail}
    first = call.get("from_part") or 0
    thread, sent = message.get("thread_id"), []
    for index, part in enumerate(split(text, MAX_LENGTH)):
        if index < first:
            continue
        body = {"channel": channel, "text": neutralise(part), **({"thread": thread} if thread else {})}
        try:
            answer = call_acme(call.get("credentials") or {}, "/messages", body)
        except Failure as failure:
            return {
                "ok": False,
                "error": failure.code,
                "error_detail": failure.detail,
                "delivered_parts": index,
                "parts": sent,
            }
        thread = thread or answer.get("thread")
        sent.append({"message_id": answer["id"]})
    return {"ok": True, "message_id": sent[0]["message_id"] if sent else "none", "thread_id": thread, "parts": sent}


def format_message(call):
    text, rich = call["text"], call.get("mode") != "plain"
    table = re.search(r"^\|?[ :-]*-+[ :-]*\|[ :|-]*\n", text, flags=re.MULTILINE) is not None
    text = re.sub(r"\*\*(\S(?:[^*\n]*\S)?)\*\*", r"*\1*" if rich else r"\1", text)
    text = re.sub(r"\[([^\[\]\n]+)\]\(([^()\s]+)\)", r"\1 (\2)", text)
    if table:
        rows = [line for line in text.split("\n") if not re.fullmatch(r"[ :|-]*-[ :|-]*", line)]
        text = "\n".join(" | ".join(cell.strip() for cell in row.strip("|").split("|")) for row in rows)
    text = neutralise(text)
    return {
        "text": text,
        "format": "native" if rich else "plain",
        "parts": split(text, call.get("max_length") or MAX_LENGTH),
        "lossy": ["table"] if table else [],
    }


def list_changes(call):
    cursor = call.get("cursor")
    if cursor is not None and not re.fullmatch(r"[0-9a-f]{64}", cursor):
        return {"ok": False, "error": "cursor_expired"}
    try:
        folder = urllib.parse.quote(call["resource_path"], safe="")
        documents = call_acme(call.get("credentials") or {}, f"/folders/{folder}")["documents"]
    except Failure as failure:
        return {"ok": False, "error": failure.code}
    now = hashlib.sha256(json.dumps(documents, sort_keys=True).encode()).hexdigest()
    if now == cursor:
        return {"changes": [], "cursor": now}
    changes = [{"path": each["path"], "fingerprint": each["etag"], "status": "modified"} for each in documents]
    return {"changes": changes, "cursor": now, "full": True}


def fetch_file(call):
    path = call.get("file_path") or ""
    if path.startswith("/") or "\\" in path or ".." in path.split("/"):
        return {"ok": False, "error": "not_found"}
    folder = urllib.parse.quote(call["resource_path"], safe="")
    try:
        file = call_acme(call.get("credentials") or {}, f"/folders/{folder}/{urllib.parse.quote(path)}")
    except Failure as failure:
        return {"ok": False, "error": failure.code}
    content = file["content"].encode()
    return {"content_base64": base64.b64encode(content).decode(), "size": len(content)}


GET = {
    "/acme/manifest.json": MANIFEST,
    "/acme/health": {"status": "ready", "version": os.environ.get("GATEHOUSE_BUILD") or "unknown", "adapter": "acme"},
}
POST = {
    "/acme/verify": verify,
    "/acme/verify-webhook": verify_webhook,
    "/acme/parse-inbound": parse_inbound,
    "/acme/deliver": deliver,
    "/acme/format": format_message,
    "/acme/sources/list-changes": list_changes,
    "/acme/sources/fetch-file": fetch_file,
}


class Adapter(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        if path in GET:
            self.answer(200, GET[path])
        else:
            self.answer(405 if path in POST else 404, {"error": "no such route"})

    def do_POST(self):
        path = self.path.split("?")[0]
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if path not in POST:
            return self.answer(405 if path in GET else 404, {"error": "no such route"})
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            return self.answer(400, {"error": "invalid_json"})
        if not isinstance(call, dict):
            return self.answer(400, {"error": "invalid_request"})
        try:
            return self.answer(200, POST[path](call))
        except (KeyError, TypeError, AttributeError, ValueError):
            # What is wrong with the call; its values may be secrets and are not named.
            return self.answer(400, {"error": "invalid_request"})

    def do_DELETE(self):
        self.answer(405 if self.path.split("?")[0] in {**GET, **POST} else 404, {"error": "no such route"})

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format, *args):
        sys.stderr.write(f"{self.command} {self.path.split('?')[0]}\n")


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Adapter)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}/acme", flush=True)
    server.serve_forever()

"""Where requests end, by a parser that shares nothing with the daemon's: the oracle of the mutation test."""

import re

TOKEN = rb"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
REQUEST = re.compile(rb"(" + TOKEN + rb") (/[^\x00-\x20\x7f#]*) HTTP/1\.([01])\r\n"
                     rb"((?:" + TOKEN + rb":[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n")
FIELD = re.compile(rb"(" + TOKEN + rb"):([^\r]*)\r\n")
CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})(?:;[\t ]*" + TOKEN + rb"(?:[\t ]*=[\t ]*" + TOKEN + rb")?)*\r\n")
METHODS = (b"GET ", b"POST ", b"HEAD ", b"PUT ", b"DELETE ", b"PATCH ", b"OPTIONS ", b"CONNECT ", b"TRACE ")


def whole_requests(data):
    """The methods of the whole, faultless requests at the front of `data`, and whether they are all of it."""
    methods = []
    while data:
        after_body = re.match(rb"(?:\r\n){0,2}", data).end() if methods else 0
        found = REQUEST.match(data, after_body)
        end = found and _end(data, found)
        if not end:
            # Empty lines after a body are no request.
            return methods, after_body == len(data)
        methods.append(found[1].decode())
        data = data[end:]
    return methods, True


def _end(data, found):
    """Behind the body of the request whose head was found; None if it is not whole or must be refused."""
    fields = {}
    for name, value in FIELD.findall(found[4]):
        fields.setdefault(name.lower(), []).append(value.strip(b"\t "))
    old = found[3] == b"0"
    hosts, lengths, encodings = (fields.get(name, []) for name in (b"host", b"content-length", b"transfer-encoding"))
    options = b",".join(fields.get(b"connection", [])).split(b",")
    if (len(hosts) > 1 or (not hosts and not old) or len(lengths) > 1 or len(encodings) > 1 or (lengths and encodings)
            or (encodings and old)
            or any(value.lower() != b"100-continue" for value in fields.get(b"expect", []))
            or any(option.strip(b"\t ") and not re.fullmatch(TOKEN, option.strip(b"\t ")) for option in options)):
        return None
    if encodings:
        return _end_of_chunks(data, found.end()) if encodings[0].lower() == b"chunked" else None
    if not lengths:
        return found.end()
    if not re.fullmatch(rb"[0-9]{1,6}", lengths[0]) or int(lengths[0]) > 262144:
        return None
    end = found.end() + int(lengths[0])
    return end if end <= len(data) else None


def _end_of_chunks(data, at):
    while size_line := CHUNK.match(data, at):
        size = int(size_line[1], 16)
        at = size_line.end()
        if size == 0:
            trailers = re.compile(rb"((?:" + TOKEN + rb":[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n").match(data, at)
            if not trailers or re.search(rb"(?mi)^(content-length|transfer-encoding):", trailers[1]):
                return None
            return trailers.end()
        at += size
        if data[at:at + 2] != b"\r\n":
            return None
        at += 2
    return None

import { type RunnerWorld, startRunner } from '../testing/runner-world.js';

let runner: RunnerWorld;

beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.close());

/** What a tool with these imports returns. */
const sourceOf = (imports: string, expression: string): string =>
  `${imports}\n\ndef tool() -> str:\n    """Does."""\n    return str(${expression})\n`;

describe('a tool that imports what computes', () => {
  it.each<[imports: string, expression: string, result: string]>([
    [
      'from zoneinfo import ZoneInfo\nfrom datetime import datetime',
      'datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")).strftime("%H:%M %Z %z")',
      '12:00 CEST +0200',
    ],
    [
      'import zoneinfo, datetime',
      'datetime.datetime(2026, 1, 1, tzinfo=zoneinfo.ZoneInfo("America/New_York")).utcoffset()',
      '-1 day, 19:00:00',
    ],
    ['import zoneinfo', '{"Asia/Kolkata", "US/Pacific", "UTC"} <= zoneinfo.available_timezones()', 'True'],
    [
      'from email.message import EmailMessage',
      '[m := EmailMessage(), m.add_header("Subject", "Grüße"), m.set_content("x"), "utf-8" in m.as_string()][-1]',
      'True',
    ],
    [
      'import email.utils',
      'email.utils.parsedate_to_datetime("Tue, 01 Jul 2026 12:00:00 +0200").isoformat()',
      '2026-07-01T12:00:00+02:00',
    ],
    [
      'from email import policy, message_from_string',
      'message_from_string("A: b\\n\\nc", policy=policy.default)["A"]',
      'b',
    ],
    ['from email.mime.text import MIMEText', 'MIMEText("x").get_content_type()', 'text/plain'],
    ['import gzip', 'gzip.decompress(gzip.compress(b"abc")).decode()', 'abc'],
    [
      'import bz2, lzma, zlib',
      '[m.decompress(m.compress(b"a")).decode() for m in (bz2, lzma, zlib)]',
      "['a', 'a', 'a']",
    ],
    [
      'import zipfile, io',
      '[b := io.BytesIO(), zipfile.ZipFile(b, "w").writestr("a", "b"), len(b.getvalue()) > 0][-1]',
      'True',
    ],
    [
      'import tarfile, io',
      '[b := io.BytesIO(), tarfile.open(fileobj=b, mode="w").close(), len(b.getvalue())][-1]',
      '10240',
    ],
    [
      'import base64, binascii, quopri',
      '[base64.b64encode(b"a"), binascii.hexlify(b"a"), quopri.encodestring(b"=")]',
      "[b'YQ==', b'61', b'=3D']",
    ],
    [
      'import hashlib, hmac',
      '[hashlib.new("sha256", b"").hexdigest()[:6], hashlib.md5(b"").hexdigest()[:6], hmac.new(b"k", b"m", "sha256").hexdigest()[:6]]',
      "['e3b0c4', 'd41d8c', 'b60090']",
    ],
    [
      'import hashlib',
      '[hashlib.sha3_256(b"").hexdigest()[:6], hashlib.blake2b(b"").hexdigest()[:6]]',
      "['a7ffc6', '786a02']",
    ],
    ['import csv, io', 'list(csv.reader(io.StringIO("a,\\"b,c\\"")))', "[['a', 'b,c']]"],
    [
      'import statistics, fractions, decimal',
      '[statistics.mean([1, 2]), fractions.Fraction(1, 3), decimal.Decimal("0.10")]',
      "[1.5, Fraction(1, 3), Decimal('0.10')]",
    ],
    [
      'import difflib, textwrap',
      '[difflib.get_close_matches("aple", ["apple"]), textwrap.dedent("  a")]',
      "[['apple'], 'a']",
    ],
    [
      'import html\nfrom html.parser import HTMLParser',
      '[html.escape("<"), HTMLParser().feed("<p>")]',
      "['&lt;', None]",
    ],
    ['import xml.etree.ElementTree as ET', 'ET.fromstring("<a><b>c</b></a>").find("b").text', 'c'],
    ['from xml.dom import minidom', 'minidom.parseString("<a/>").documentElement.tagName', 'a'],
    ['from xml.sax.saxutils import escape', 'escape("<")', '&lt;'],
    [
      'import uuid, secrets',
      '[uuid.uuid5(uuid.NAMESPACE_URL, "a").version, len(str(uuid.uuid4())), len(secrets.token_hex(8))]',
      '[5, 36, 16]',
    ],
    [
      'import calendar, datetime, time',
      '[calendar.monthrange(2028, 2)[1], datetime.date(2026, 1, 1).isocalendar().week, time.gmtime(0).tm_year]',
      '[29, 1, 1970]',
    ],
    [
      'import struct, array, enum, dataclasses, typing',
      '[struct.pack(">H", 1), array.array("b", [1]).tolist(), enum.Enum("E", "A").A.name]',
      "[b'\\x00\\x01', [1], 'A']",
    ],
    [
      'import itertools, functools, collections, heapq, bisect, operator',
      '[list(itertools.batched("abc", 2)), heapq.nsmallest(1, [2, 1]), bisect.bisect([1], 1), collections.Counter("aa")["a"]]',
      "[[('a', 'b'), ('c',)], [1], 1, 2]",
    ],
    ['from collections.abc import Mapping', 'isinstance({}, Mapping)', 'True'],
    [
      'import string, unicodedata, re, stringprep',
      '[string.Template("$a").substitute(a=1), unicodedata.normalize("NFC", "e\\u0301"), re.sub("a", "b", "a")]',
      "['1', 'é', 'b']",
    ],
    [
      'from urllib.parse import quote, urlsplit',
      '[quote("ü"), urlsplit("https://a.b/c?d=e").query]',
      "['%C3%BC', 'd=e']",
    ],
    ['import urllib.parse', 'urllib.parse.urlencode({"a": 1})', 'a=1'],
    ['from urllib import parse', 'parse.unquote("%41")', 'A'],
    [
      'import ipaddress, colorsys, cmath, math, numbers',
      '[ipaddress.ip_network("10.0.0.0/8").num_addresses, colorsys.rgb_to_hsv(0, 0, 0)[2], math.isclose(cmath.phase(1), 0)]',
      '[16777216, 0, True]',
    ],
    [
      'import copy, pprint, io, reprlib, types, weakref',
      '[copy.deepcopy([1]), pprint.pformat({"a": 1}), io.StringIO("a").read()]',
      "[[1], \"{'a': 1}\", 'a']",
    ],
    [
      'import json, random, contextlib, abc, contextvars',
      '[json.loads("[1]"), random.Random(1).randint(1, 1), contextlib.nullcontext(1).enter_result == 1]',
      '[[1], 1, True]',
    ],
    [
      'import traceback, warnings, logging',
      '[warnings.warn("x"), logging.getLogger("a").name, traceback.format_exception_only(ValueError("a"))]',
      "[None, 'a', ['ValueError: a\\n']]",
    ],
    [
      'import graphlib, queue, sched',
      '[list(graphlib.TopologicalSorter({"a": ["b"]}).static_order()), queue.PriorityQueue().qsize()]',
      "[['b', 'a'], 0]",
    ],
    [
      'import codecs, mimetypes',
      '[codecs.decode(b"\\x83\\x65", "shift_jis"), b"\\xe9".decode("cp1252"), mimetypes.guess_type("a.pdf")[0]]',
      "['テ', 'é', 'application/pdf']",
    ],
    [
      'import configparser, tomllib, plistlib',
      '[tomllib.loads("a = 1"), plistlib.loads(plistlib.dumps([1])), configparser.ConfigParser().sections()]',
      "[{'a': 1}, [1], []]",
    ],
    [
      'import shlex, fnmatch, posixpath, getopt',
      '[shlex.split("a \'b c\'"), fnmatch.fnmatch("a.txt", "*.txt"), posixpath.splitext("a.txt")[1]]',
      "[['a', 'b c'], True, '.txt']",
    ],
    ['import ast, keyword, token, tokenize', '[ast.literal_eval("[1]"), keyword.iskeyword("if")]', '[[1], True]'],
    ['from http import HTTPStatus', 'HTTPStatus(404).phrase', 'Not Found'],
    ['from http.cookies import SimpleCookie', 'SimpleCookie("a=b")["a"].value', 'b'],
    ['import locale, gettext, errno, timeit, wave', '[locale.format_string("%d", 1), errno.ENOENT > 0]', "['1', True]"],
    ['from compression import zstd', 'zstd.decompress(zstd.compress(b"a")).decode()', 'a'],
  ])('with %s', async (imports, expression, result) => {
    const source = sourceOf(imports, expression);
    expect(await runner.compile(source)).toMatchObject({ ok: true });
    expect(await runner.run(source)).toMatchObject({ ok: true, result });
  });

  it('learns that a time zone does not exist', async () => {
    const source = sourceOf('from zoneinfo import ZoneInfo', 'ZoneInfo("Europe/Atlantis")');
    const answer = await runner.run(source);
    expect(answer).toMatchObject({
      ok: false,
      error: 'exception',
      message: expect.stringContaining('Europe/Atlantis'),
    });
  });
});

describe('a tool that imports what it may not', () => {
  it.each([
    ['import os', 'There are no files and no environment'],
    ['import os.path', 'Use posixpath'],
    ['from os import path', 'Use posixpath'],
    ['import pathlib', 'Use posixpath'],
    ['import sys', 'Use print for output'],
    ['import subprocess', 'A tool starts no processes'],
    ['import threading', 'without threads'],
    ['from concurrent.futures import ThreadPoolExecutor', 'without threads'],
    ['import asyncio', 'without threads'],
    ['import requests', 'Use http_request for the web'],
    ['import urllib.request', 'Use http_request for the web'],
    ['from urllib import request', 'Use http_request for the web'],
    ['from urllib.request import urlopen', 'Use http_request for the web'],
    ['import urllib', 'Use http_request for the web'],
    ['import http.client', 'Use http_request for the web'],
    ['from http import client', 'Use http_request for the web'],
    ['import socket', 'Use http_request for the web'],
    ['import smtplib', 'send_email'],
    ['import pickle', 'Use json'],
    ['import sqlite3', 'There is no database'],
    ['import argparse', 'name what it needs as arguments'],
    ['import pytz', 'Use datetime and zoneinfo'],
    ['from dateutil import parser', 'Use datetime and zoneinfo'],
    ['import numpy as np', 'Use statistics'],
    ['from bs4 import BeautifulSoup', 'Use html.parser'],
    ['import yaml', 'Use json, tomllib'],
    ['import ctypes', 'Only those parts of the standard library that compute'],
    ['import importlib', 'Only those parts of the standard library that compute'],
    ['import stripe', 'There are no packages'],
    ['import js', 'reaches no JavaScript'],
  ])('as in %s reads what to use instead', async (imports, hint) => {
    const answer = await runner.compile(sourceOf(imports, '1'));
    expect(answer).toMatchObject({ ok: false, errors: [{ line: 1, code: 'import_not_allowed' }] });
    expect(JSON.stringify(answer)).toContain(hint);
  });
});

"""What a tool's author can use instead of a module that a tool cannot import."""

import sys

_HINTS = (
    (
        'requests httpx aiohttp urllib3 pycurl http.client urllib urllib.request socket ssl ftplib telnetlib xmlrpc websocket websockets'
        ' select selectors wsgiref webbrowser urllib.robotparser http.cookiejar boto3 botocore openai anthropic slack_sdk googleapiclient',
        'Use http_request for the web: it is there without an import.',
    ),
    ('smtplib poplib imaplib mailbox', 'A tool sends no mail; the built-in tool send_email does. email builds and reads messages.'),
    ('http.server socketserver flask fastapi django', 'A tool is called by the agent; it serves nothing.'),
    (
        'os shutil tempfile glob fileinput filecmp stat linecache netrc mmap fcntl zipapp',
        'There are no files and no environment: take texts as arguments, use io for files in memory, credential("name") for secrets.',
    ),
    ('os.path pathlib genericpath nturl2path', 'There are no files. Use posixpath for paths as text, io for files in memory.'),
    ('getpass', 'Use credential("name") for secrets: it is there without an import.'),
    ('sys', 'Use print for output, and raise an exception when the tool cannot do its work.'),
    ('subprocess multiprocessing pty signal', 'A tool starts no processes.'),
    ('threading _thread concurrent asyncio trio anyio', 'A tool runs alone and without threads: write one step after the other.'),
    ('pickle marshal shelve copyreg dill', 'Use json for values as text.'),
    ('sqlite3 dbm sqlalchemy psycopg psycopg2', 'There is no database: use lists and dicts, or http_request to ask a service.'),
    ('argparse optparse cmd curses readline fire click', 'A tool has no command line: name what it needs as arguments.'),
    ('unittest doctest pdb bdb pytest trace profile cProfile pstats', 'Try the tool with its arguments instead.'),
    ('logging.config logging.handlers loguru structlog', 'Use print, or logging itself: what a tool prints is shown with its result.'),
    ('pytz dateutil arrow pendulum', 'Use datetime and zoneinfo.'),
    ('numpy pandas scipy polars', 'Use statistics, math, csv, and lists.'),
    ('bs4 lxml html5lib', 'Use html.parser, or xml.etree.ElementTree for XML.'),
    ('yaml ruamel toml simplejson orjson ujson', 'Use json, tomllib or configparser.'),
    ('pydantic attr attrs marshmallow', 'Use dataclasses or TypedDict.'),
    ('cryptography Crypto nacl jwt jose bcrypt', 'Use hashlib, hmac, secrets and base64.'),
    ('openpyxl xlrd xlsxwriter docx', 'Use zipfile and xml.etree.ElementTree: such a file is a zip file of XML.'),
    ('regex', 'Use re.'),
    ('six future typing_extensions', 'Use typing: this is Python 3.14.'),
    ('js pyodide pyodide_js micropip pip setuptools', 'A tool reaches no JavaScript, and there are no packages to install.'),
)
_BY_NAME = {name: hint for names, hint in _HINTS for name in names.split()}


def has_hint(name):
    return name in _BY_NAME


def hint_for(name):
    """A sentence that says what to use instead of a module, or why it is not there."""
    parts = name.split('.')
    for length in range(len(parts), 0, -1):
        hint = _BY_NAME.get('.'.join(parts[:length]))
        if hint:
            return hint
    if parts[0] in sys.stdlib_module_names:
        return 'Only those parts of the standard library that compute are there, not those for files, processes or the interpreter.'
    return 'There are no packages, only parts of the standard library.'

"""What a tool may import: the parts of the standard library that compute. Each includes its submodules."""

ALLOWED = frozenset(
    """
    __future__ abc array ast base64 binascii bisect bz2 calendar cmath codecs collections colorsys compression
    configparser contextlib contextvars copy csv dataclasses datetime decimal difflib email encodings enum errno fnmatch
    fractions functools getopt gettext graphlib gzip hashlib heapq hmac html http io ipaddress itertools json keyword
    locale logging lzma math mimetypes numbers operator ntpath plistlib posixpath pprint queue quopri random re reprlib
    sched secrets shlex statistics string stringprep struct tarfile textwrap time timeit token tokenize tomllib traceback
    types typing unicodedata urllib.parse urllib.error uuid warnings wave weakref xml zipfile zlib zoneinfo
    """.split()
)

# Submodules of those that need files or the network.
DENIED = frozenset(
    'http.client http.cookiejar http.server logging.config logging.handlers'.split()
)

# Submodules that many tools need, so that no call pays for the first import.
PRELOADED = """
    collections.abc email.message email.mime.multipart email.mime.text email.parser email.policy email.utils html.parser
    http.cookies xml.dom.minidom xml.etree.ElementTree
""".split()


def is_allowed(*names):
    """Whether an import may be made. @param names the module, and for `from a import b` also a.b"""
    if any(known in DENIED for name in names for known in _prefixes(name)):
        return False
    return any(known in ALLOWED for name in names for known in _prefixes(name))


def _prefixes(name):
    parts = name.split('.')
    return ['.'.join(parts[:length]) for length in range(1, len(parts) + 1)]

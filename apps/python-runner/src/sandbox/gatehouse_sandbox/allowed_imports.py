"""What a tool may import: the parts of the standard library that compute. Each includes its submodules."""

ALLOWED = frozenset(
    """
    __future__ abc array base64 binascii bisect calendar cmath collections contextlib copy csv dataclasses datetime
    decimal difflib enum fractions functools hashlib heapq hmac html io ipaddress itertools json math numbers operator
    random re secrets statistics string struct textwrap time typing unicodedata urllib.parse uuid xml.etree.ElementTree
    zlib
    """.split()
)


def is_allowed(name):
    parts = name.split('.')
    return any('.'.join(parts[:length]) in ALLOWED for length in range(1, len(parts) + 1))

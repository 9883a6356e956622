"""Time zones for zoneinfo, from memory: a tool has no files, and the standard library brings no zones itself.

`tzdata.whl` is the package tzdata of PyPI (Apache-2.0; the data are in the public domain), unchanged. A newer one replaces it.
"""

import io
import zipfile
import zoneinfo
from zoneinfo import _common

_zones = {}
_PLACE = 'tzdata/zoneinfo/'


def keep_zones(wheel):
    """@param wheel the path of the package tzdata; its zones stay in memory, and with it in the snapshot"""
    contents = {}
    with zipfile.ZipFile(wheel) as archive:
        names = archive.read('tzdata/zones').decode().split()
        for name in names:
            # Many names are of one zone.
            zone = archive.read(_PLACE + name)
            _zones[name] = contents.setdefault(zone, zone)
    _common.load_tzdata = _load
    zoneinfo.available_timezones = _names


def _load(key):
    zone = _zones.get(key)
    if zone is None:
        raise zoneinfo.ZoneInfoNotFoundError(f'No time zone found with key {key}')
    return io.BytesIO(zone)


def _names():
    return set(_zones)

// Prints in its last line where Dovecot is, unpacked from the distribution's packages and not installed, or why it is nowhere.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { librariesOf, unpackDebian } from '../../../scripts/launcher/debian-packages.mjs';
import { cacheDir } from '../../../scripts/launcher/project.mjs';

const home = join(cacheDir, 'dovecot');
const packages = ['dovecot-core', 'dovecot-imapd'];
const reason = existsSync(join(home, 'usr/lib/dovecot/imap')) ? null : unpackDebian(home, packages, packages);
console.log(JSON.stringify(reason === null ? { home, libraries: librariesOf(home).LD_LIBRARY_PATH } : { reason }));

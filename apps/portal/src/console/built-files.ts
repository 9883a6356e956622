import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

export type Encoding = 'br' | 'gzip' | 'identity';

/** A file as it is sent, in each encoding that the build made. */
export interface BuiltFile {
  type: string;
  /** Of the content, shared by all encodings, so it is weak (RFC 9110 section 8.8.1). */
  etag: string;
  bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer };
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};
const compressed: Record<string, Encoding> = { '.br': 'br', '.gz': 'gzip' };

/**
 * The files of a build, by the paths of their URLs. All of it is read once: it is a few megabytes, and no part of a
 * request ever becomes a file name.
 * @returns an empty map when there is no such folder
 */
export function builtFiles(folder: string): Map<string, BuiltFile> {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  const files = new Map<string, BuiltFile>();
  for (const name of names.filter((each) => !(extname(each) in compressed))) {
    const identity = readFileSync(join(folder, name));
    const bodies: BuiltFile['bodies'] = { identity };
    for (const [suffix, encoding] of Object.entries(compressed)) {
      if (names.includes(`${name}${suffix}`)) bodies[encoding] = readFileSync(join(folder, `${name}${suffix}`));
    }
    const etag = `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
    const path = `/${name.split(sep).join('/')}`;
    files.set(path, { type: types[extname(name)] ?? 'application/octet-stream', etag, bodies });
  }
  return files;
}

/** The smallest encoding that a client accepts (RFC 9110 section 12.5.3). @param accepted of `Accept-Encoding` */
export function encodingFor({ bodies }: BuiltFile, accepted: string | undefined): Encoding {
  const taken = new Set(
    (accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((entry) => entry.split(';').map((part) => part.trim()))
      .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ''))
      .map(([name]) => name),
  );
  if (bodies.br && taken.has('br')) return 'br';
  if (bodies.gzip && taken.has('gzip')) return 'gzip';
  return 'identity';
}

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** The page itself is not compressed: its nonce differs in each answer. */
const compressible = /\.(js|css|svg|json|md)$/;
/** Below this size, headers outweigh the saving. */
const minBytes = 1024;

/** Writes `.br` and `.gz` beside what the portal serves, so that the portal never compresses while it answers. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (!entry.isFile() || !compressible.test(entry.name)) continue;
        const content = readFileSync(path);
        if (content.length < minBytes) continue;
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }));
      }
    },
  };
}

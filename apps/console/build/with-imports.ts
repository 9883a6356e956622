import type { Rolldown } from 'vite';

/** These chunks and their static imports. */
export function withImports(chunks: Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle): Set<Rolldown.OutputChunk> {
  const found = new Set(chunks);
  for (const { imports } of found) {
    for (const name of imports) {
      const chunk = bundle[name];
      if (chunk?.type === 'chunk') found.add(chunk);
    }
  }
  return found;
}

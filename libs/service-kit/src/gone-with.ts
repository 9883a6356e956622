import type { ServerResponse } from 'node:http';

/** Aborts when the client of a request leaves, or its answer ends: at once where it has left already. */
export function goneWith(response: ServerResponse): AbortController {
  const gone = new AbortController();
  if (response.closed || response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone;
}

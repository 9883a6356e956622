import { sanitizeName } from '#libs/sanitizer';
import { Problem } from '#libs/service-kit';

export interface ImportedServer {
  url: string;
  name: string;
  /** Names of the headers that the server requires. */
  headers: string[];
}

/**
 * Reads a `server.json` of the MCP registry (static.modelcontextprotocol.io/schemas): its first remote without template
 * variables. Packages are not run, since Gatehouse reaches servers by HTTP.
 * @throws Problem 422 `invalid_server_json | no_remote`
 */
export function readServerJson(given: Record<string, unknown>): ImportedServer {
  const { name, title, remotes } = given;
  if (typeof name !== 'string' || sanitizeName(name) === '' || name.length > 200) {
    throw new Problem(422, 'invalid_server_json', 'This is not a server.json: it has no name.');
  }
  for (const remote of Array.isArray(remotes) ? (remotes as unknown[]).slice(0, 50) : []) {
    const { type, url, headers } = (remote ?? {}) as Record<string, unknown>;
    if (type !== 'streamable-http' && type !== 'sse') continue;
    if (typeof url !== 'string' || /[{}]/.test(url)) continue;
    const label = (typeof title === 'string' && sanitizeName(title)) || sanitizeName(name);
    return { url, name: label.slice(0, 200).toWellFormed(), headers: neededHeaders(headers) };
  }
  throw new Problem(
    422,
    'no_remote',
    'This server.json has no remote with a complete URL: a server that runs from a package must be hosted first.',
  );
}

function neededHeaders(headers: unknown): string[] {
  const entries = Array.isArray(headers) ? (headers as { name?: unknown; isRequired?: unknown }[]) : [];
  return entries.flatMap((header) =>
    header?.isRequired === true && typeof header.name === 'string' ? [header.name] : [],
  );
}

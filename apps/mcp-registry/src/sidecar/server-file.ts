import { readFileSync } from 'node:fs';

/**
 * How one server is started. `env` is added to PATH, HOME and the like: the process sees no other variable of the
 * sidecar.
 */
export interface StdioServer {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}

const known = new Set(['command', 'args', 'env', 'cwd']);

/**
 * Reads the servers, by the name in their URL, in the format that MCP clients use: `{"mcpServers": {"<name>":
 * {"command", "args"?, "env"?, "cwd"?}}}`.
 * @throws Error that says what is wrong and where, but quotes no value: `env` may hold secrets
 */
export function readServerFile(path: string): Map<string, StdioServer> {
  const { mcpServers, ...others } = objectOf(parsed(path), path);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`${path}: the field ${other} is not known`);
  const servers = Object.entries(objectOf(mcpServers, `${path}: mcpServers`));
  if (servers.length === 0) throw new Error(`${path}: mcpServers names no server`);
  return new Map(servers.map(([name, server]) => [checkedName(name, path), serverOf(server, `${path}: ${name}`)]));
}

function parsed(path: string): unknown {
  const file = readFileSync(path, 'utf8');
  try {
    return JSON.parse(file);
  } catch {
    // The parser's message would quote the file.
    throw new Error(`${path} is not valid JSON`);
  }
}

function checkedName(name: string, path: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) return name;
  throw new Error(`${path}: ${JSON.stringify(name)} is not a valid name: use a-z, 0-9 and -, at most 63`);
}

function serverOf(value: unknown, where: string): StdioServer {
  const given = objectOf(value, where);
  const unknown = Object.keys(given).find((field) => !known.has(field));
  if (unknown !== undefined) throw new Error(`${where}: the field ${unknown} is not known`);
  const { command, args = [], env = {}, cwd } = given;
  if (typeof command !== 'string' || command === '') throw new Error(`${where}.command is not set`);
  if (!isTexts(args)) throw new Error(`${where}.args must be a list of strings`);
  const variables = objectOf(env, `${where}.env`);
  if (!isTexts(Object.values(variables))) throw new Error(`${where}.env: each value must be a string`);
  if (cwd !== undefined && typeof cwd !== 'string') throw new Error(`${where}.cwd must be a string`);
  return { command, args, env: variables as Record<string, string>, ...(cwd === undefined ? {} : { cwd }) };
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`${where} must be an object`);
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

import { until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';

/** Unique secrets, and the places where they leaked. */
export interface Canaries {
  /** A new secret for one field. */
  plant(field: string): string;
  /** The fields whose secret is in a text: plain, in hexadecimal or in base64. */
  foundIn(text: string): string[];
  planted(): number;
}

export function openCanaries(): Canaries {
  const secrets = new Map<string, string>();
  return {
    plant: (field) => {
      const secret = `canary${randomBytes(15).toString('hex')}`;
      secrets.set(secret, field);
      return secret;
    },
    foundIn: (text) =>
      [...secrets].flatMap(([secret, field]) =>
        spellings(secret).some((spelling) => text.includes(spelling)) ? [field] : [],
      ),
    planted: () => secrets.size,
  };
}

/** Base64 of a longer text contains that of an inner part, except for the ends, at one of three offsets. */
function spellings(secret: string): string[] {
  const inner = [0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${secret}`)
      .toString('base64')
      .slice(4, -4),
  );
  return [
    secret,
    Buffer.from(secret).toString('hex'),
    ...inner,
    ...inner.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** Every row of every table, with bytes in hexadecimal. */
export async function everyRow(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      texts.push(name, ...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/**
 * Every command that reaches Redis from now on, with its arguments, even what is deleted again at once. It uses a raw
 * socket: a client that counts replies is confused by other clients' commands that arrive before the reply to its own.
 */
export async function recordRedis(url: string): Promise<{ text(): string; stop(): void }> {
  const { hostname, port, password } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || 6379) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'connect');
  socket.write(`${password ? `AUTH ${decodeURIComponent(password)}\r\n` : ''}MONITOR\r\n`);
  const text = (): string => Buffer.concat(chunks).toString('latin1');
  await until('Redis tells its commands', () => text().includes('+OK'));
  return { text, stop: () => socket.destroy() };
}

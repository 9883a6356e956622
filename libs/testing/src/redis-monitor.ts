import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** A command that a Redis server has run. `source`: an address, or `lua`. */
export interface MonitoredCommand {
  database: string;
  source: string;
  /** Its name and arguments. */
  words: string[];
}

const linePattern = /^\+[\d.]+ \[(\d+) (\S+)\] (.*)$/;

/**
 * Follows the commands that a Redis server runs, of all databases. Not ioredis' `monitor`: it fails where commands come in
 * one piece with the answer that monitoring has begun, as on a server with other work.
 */
export async function monitorRedis(
  url: string,
  hears: (command: MonitoredCommand) => void,
): Promise<{ stop: () => void }> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connect(Number(port || 6379), hostname);
  await once(socket, 'connect');
  const lines = createInterface({ input: socket });
  const begun = new Promise<void>((resolve, reject) => {
    let answers = password === '' ? 1 : 2;
    lines.on('line', (line) => {
      const [, database = '', source = '', rest = ''] = linePattern.exec(line) ?? [];
      if (line.startsWith('-')) reject(new Error(line));
      else if (line === '+OK') answers -= 1;
      else if (rest !== '')
        hears({ database, source, words: Array.from(rest.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word = '']) => word) });
      if (answers === 0) resolve();
    });
    socket.once('error', reject);
  });
  if (password !== '')
    socket.write(`AUTH ${decodeURIComponent(username) || 'default'} ${decodeURIComponent(password)}\r\n`);
  socket.write('MONITOR\r\n');
  await begun;
  return {
    stop: () => {
      lines.close();
      socket.destroy();
    },
  };
}

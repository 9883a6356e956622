import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { createServer, type TLSSocket } from 'node:tls';

/**
 * A server of empty mailboxes, with TLS, for what is no question of mail. Users by their password, or their token; all
 * others are refused.
 */
export async function openFakeImap(users: Record<string, string>): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<TLSSocket>();
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    const say = (...lines: string[]): boolean => socket.write(lines.map((line) => `${line}\r\n`).join(''));
    say('* OK [CAPABILITY IMAP4rev1 SASL-IR IDLE AUTH=PLAIN AUTH=XOAUTH2] ready');
    /** Tags of commands that the next line belongs to. */
    let [idling, authenticating] = ['', ''];
    const logIn = (tag: string, response: string): boolean => {
      const given = Buffer.from(response, 'base64').toString();
      const ofToken = given.startsWith('user=')
        ? given.split('\u0001').map((part) => part.replace(/^.*[= ]/, ''))
        : null;
      const [user = '', secret = ''] = ofToken ?? given.split('\0').slice(1);
      return say(users[secret] === user ? `${tag} OK` : `${tag} NO [AUTHENTICATIONFAILED] no`);
    };
    createInterface({ input: socket }).on('line', (line) => {
      if (line === 'DONE') return say(`${idling} OK`);
      if (authenticating !== '') {
        const tag = authenticating;
        authenticating = '';
        return logIn(tag, line);
      }
      const [tag = '', command = '', ...rest] = line.split(' ');
      const done = `${tag} OK`;
      switch (command.toUpperCase()) {
        case 'AUTHENTICATE':
          if (rest[1] !== undefined) return logIn(tag, rest[1]);
          authenticating = tag;
          return say('+ ');
        case 'LIST':
        case 'LSUB':
          return say(`* ${command.toUpperCase()} () "/" INBOX`, done);
        case 'EXAMINE':
          return say('* 0 EXISTS', '* OK [UIDVALIDITY 1] valid', '* OK [UIDNEXT 1] next', `${tag} OK [READ-ONLY] open`);
        case 'IDLE':
          idling = tag;
          return say('+ idling');
        default:
          return say(done);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

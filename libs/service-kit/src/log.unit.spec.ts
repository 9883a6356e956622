import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { logBy, NestLog } from './log.js';

describe('the log of a process that hosts several services', () => {
  const written: { service: string; msg: string }[] = [];
  const logOf = (service: string) =>
    pino({ base: { service } }, { write: (line: string) => void written.push(JSON.parse(line)) });
  const log = new NestLog(logOf('last'));

  it('is that of the service whose request or timer is running', async () => {
    const served = (service: string) =>
      logBy(logOf(service), () => {
        const server = createServer((_request, response) => {
          log.log('asked');
          setTimeout(() => {
            log.log('later');
            response.end();
          }, 1);
        });
        return new Promise<typeof server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
      });
    const servers = await Promise.all(['router', 'engine'].map(served));
    for (const server of servers) {
      const { port } = server.address() as AddressInfo;
      await (await fetch(`http://127.0.0.1:${port}`)).text();
      await new Promise((resolve) => server.close(resolve));
    }
    log.log('of none');
    expect(written.map(({ service, msg }) => `${service} ${msg}`)).toEqual([
      'router asked',
      'router later',
      'engine asked',
      'engine later',
      'last of none',
    ]);
  });
});

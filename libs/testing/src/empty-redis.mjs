import { connect } from 'node:net';

/** Empties this worker's database of the run's Redis. @param {URL} url */
const empty = (url) =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      const login = url.password ? `AUTH ${decodeURIComponent(url.password)}\r\n` : '';
      socket.write(`${login}SELECT ${Number(process.env.JEST_WORKER_ID ?? 1) - 1}\r\nFLUSHDB\r\nQUIT\r\n`);
    });
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.on('error', reject);
    socket.on('end', () => (answer.includes('-') ? reject(new Error(`Redis: ${answer}`)) : resolve(undefined)));
  });

// The services of the next test file would run whatever this one leaves in the queues.
if (process.env.GATEHOUSE_TEST_STORES !== 'none') await empty(new URL(process.env.GATEHOUSE_TEST_REDIS_URL ?? ''));

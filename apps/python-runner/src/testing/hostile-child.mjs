// A compromised child: it speaks the runner's frames itself, in the way that the request's source names.
import { readSync, writeSync } from 'node:fs';

const { nonce } = JSON.parse(process.argv[2] ?? '');

/** @param {unknown} message */
function frame(message) {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** @param {Buffer} bytes */
const send = (bytes) => {
  for (let at = 0; at < bytes.length;) at += writeSync(3, bytes, at);
};

/** @param {number} length */
function receive(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) at += readSync(4, bytes, at, length - at, null);
  return bytes;
}

const request = () => JSON.parse(receive(receive(4).readUInt32BE()).toString('utf8'));

send(frame({ id: nonce, kind: 'ready' }));
// Sent outside any call.
send(frame({ id: nonce, kind: 'answer', answer: 'unasked' }));
for (;;) {
  const { id, source } = request();
  const own = frame({ id, kind: 'answer', answer: source });
  if (source === 'another id') {
    for (const forged of ['', 'x', nonce, null, { id }]) send(frame({ id: forged, kind: 'answer', answer: 'forged' }));
    for (const other of [null, 1, [], { id, kind: 'else' }]) send(frame(other));
    send(own);
  } else if (source === 'in pieces') for (const byte of own) send(Buffer.from([byte]));
  else if (source === 'two at once') send(Buffer.concat([own, frame({ id, kind: 'answer', answer: 'second' })]));
  else if (source === 'no JSON') send(Buffer.from([0, 0, 0, 2, 0x7b, 0x7b]));
  else if (source === 'too long') send(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x22]));
  else if (source === 'flood') for (let sent = 0; sent < 1_000; sent += 1) send(frame({ id: 'x', kind: 'answer' }));
  else if (source === 'questions at once') {
    // In one write: in three, the first could be answered before the second is sent.
    send(Buffer.concat([1, 2, 3].map((question) => frame({ id, kind: 'question', question }))));
    const { answer } = request();
    send(frame({ id, kind: 'answer', answer }));
  } else send(own);
}

/** A mail in MIME form, as bytes: a header for each entry, then the body as it is. */
export function mailOf(headers: Readonly<Record<string, string>>, body: string | Buffer): Buffer {
  const given = {
    From: 'Bob Roe <bob@example.org>',
    To: 'desk@example.com',
    'Message-ID': '<m1@example.org>',
    ...headers,
  };
  const head = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${head.join('')}\r\n`), Buffer.from(body)]);
}

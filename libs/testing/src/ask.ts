interface Question {
  method: string;
  url: string;
  token: string;
  body?: object | undefined;
  headers?: Record<string, string>;
}

/** Asks a service as a caller with this token. @returns a body of JSON as what it says, null for none, any other as text */
export async function ask<Body>({ method, url, token, body, headers }: Question) {
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  const json = /json/.test(answer.headers.get('content-type') ?? '');
  const said: unknown = text === '' ? null : json ? JSON.parse(text) : text;
  return { status: answer.status, headers: answer.headers, body: said as Body };
}

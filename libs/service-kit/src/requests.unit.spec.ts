import { Body, Controller, Delete, Get, HttpCode, Module, Param, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { testServiceKey } from '#libs/testing';
import { gzipSync } from 'node:zlib';
import {
  createService,
  JsonObject,
  Name,
  NestedList,
  type Page,
  pageOf,
  PageQuery,
  PublicRoute,
  RowNumberPipe,
  Text,
} from './index.js';

class Part {
  @Text(10) part: string;
}

class Named {
  @Name(10) name: string;
  @JsonObject({ optional: true }) facts?: object;
  @NestedList(Part, 2, { optional: true }) parts?: Part[];
}

@Controller('things')
@PublicRoute()
class Things {
  @Get()
  list(@Query() { limit, cursor }: PageQuery): Page<string> {
    const rows = ['a', 'b', 'c', 'd/\u00e9'].filter((row) => row > (cursor ?? '')).slice(0, limit + 1);
    return pageOf(rows, limit, (row) => row);
  }

  @Get('numbered/:number')
  numbered(@Param('number', new RowNumberPipe('thing')) number: number): { number: number } {
    return { number };
  }

  @Delete()
  @HttpCode(204)
  remove(): void {
    // Stores nothing.
  }

  @Post()
  add(@Body() { name, facts }: Named): { name: string; facts?: object } {
    return { name, ...(facts && { facts }) };
  }
}

class Facts {
  @JsonObject() facts: object;
}

class ListedFacts extends Facts {
  @NestedList(Facts, 2) listed: Facts[];
}

@Controller('internal/facts')
@PublicRoute()
class BetweenServices {
  @Post()
  take(@Body() { facts, listed }: ListedFacts): { texts: string[] } {
    return { texts: [facts, ...listed.map((one) => one.facts)].map((one) => JSON.stringify(one)) };
  }
}

@Module({ controllers: [Things, BetweenServices] })
class ThingsModule {}

let service: NestFastifyApplication;

beforeAll(async () => {
  const settings = {
    PORT: 8080,
    OPERATIONS_PORT: 0,
    HOST: '127.0.0.1',
    REDIS_URL: null,
    QUEUE_CONCURRENCY: 1,
    GATEHOUSE_SERVICE_KEY: testServiceKey,
    LOG_LEVEL: 'silent',
  };
  service = await createService({ name: 'portal', module: ThingsModule, settings });
  await service.listen(0, '127.0.0.1');
});
afterAll(() => service.close());

const ask = async <T>(method: string, query = '', body?: string): Promise<{ status: number; body: T }> => {
  const answer = await fetch(`${await service.getUrl()}/things${query}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : null };
};

describe('a cursor', () => {
  it('leads through every page', async () => {
    const seen: string[] = [];
    for (let query = '?limit=1'; query !== '';) {
      const { data, next_cursor: next } = (await ask<Page<string>>('GET', query)).body;
      seen.push(...data);
      query = next === null ? '' : `?limit=1&cursor=${next}`;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd/\u00e9']);
  });

  it.each(['', 'a', 'evt_0198', 'AAAAAAAAAAAA', '%20', 'a&cursor=b', 'x'.repeat(5_000)])(
    'that is invalid is refused, and does not mean page one: %.20s',
    async (cursor) => {
      expect(await ask('GET', `?cursor=${cursor}`)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    },
  );

  it('that was truncated or changed is invalid', async () => {
    const cursor = (await ask<Page<string>>('GET', '?limit=2')).body.next_cursor ?? '';
    for (const other of [cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, cursor.toUpperCase()]) {
      expect(await ask('GET', `?cursor=${other}`)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
  });
});

describe('JSON of somebody else', () => {
  it('arrives as it was sent, also keys that every object has', async () => {
    const facts = { toString: [1], deep: [{ hasOwnProperty: { valueOf: null } }] };
    const answer = await ask('POST', '', JSON.stringify({ name: 'a', facts }));
    expect(answer).toEqual({ status: 201, body: { name: 'a', facts } });
  });

  it.each([
    '{"constructor":"Ferrari","b":1}',
    '{"a":1,"constructor":{"prototype":{"constructor":null}},"b":[{"constructor":[]}]}',
    '{"prototype":"first","__proto__":{"x":"y"},"z":{"__proto__":1}}',
  ])('arrives between services with every key, in its order: %s', async (text) => {
    const answer = await service.inject({
      method: 'POST',
      url: '/internal/facts',
      headers: { 'content-type': 'application/json' },
      payload: `{"facts":${text},"listed":[{"facts":${text}}]}`,
    });
    expect(JSON.parse(answer.body)).toEqual({ texts: [text, text] });
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('a name', () => {
  it('arrives as people see it', async () => {
    const answer = await ask('POST', '', JSON.stringify({ name: ' \u202Eknab\u200B\r\n ' }));
    expect(answer).toEqual({ status: 201, body: { name: 'knab' } });
  });

  it.each(['', ' ', '\u202E\u200B', '\u3164', 'a'.repeat(11), 7, null])(
    'is refused if nothing of it shows: %j',
    async (name) => {
      expect(await ask('POST', '', JSON.stringify({ name }))).toMatchObject({
        status: 422,
        body: { code: 'invalid_fields', errors: [{ field: 'name' }] },
      });
    },
  );
});

describe('a request with a JSON content type and no body', () => {
  it('is read as one without a body', async () => {
    expect(await ask('DELETE')).toEqual({ status: 204, body: null });
    expect((await ask('GET')).status).toBe(200);
  });

  it('is refused with the fields that the route needs', async () => {
    const errors = [{ field: 'name', message: expect.any(String) }];
    expect(await ask('POST')).toMatchObject({ status: 422, body: { code: 'invalid_fields', errors } });
  });

  it('is refused where its body is not JSON', async () => {
    expect((await ask('POST', '', '{')).status).toBe(400);
  });
});

describe('a body with a Content-Encoding', () => {
  const post = async (coding: string, body: string | Uint8Array<ArrayBuffer> | null) =>
    fetch(`${await service.getUrl()}/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': coding },
      body,
    });

  it.each(['gzip', 'GZIP', 'br', 'identity, gzip', 'zstd', 'x'.repeat(3_000)])('is refused: %.20s', async (coding) => {
    const answer = await post(coding, gzipSync('{"name":"a"}'));
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await answer.json()).toMatchObject({
      code: 'unsupported_encoding',
      detail: expect.stringContaining(coding.slice(0, 40)),
    });
  });

  it.each(['identity', ' Identity', 'identity, identity', ''])(
    'is read where that names none: "%s"',
    async (coding) => {
      expect((await post(coding, '{"name":"a"}')).status).toBe(201);
    },
  );

  it('is refused for what it lacks where it is empty', async () => {
    expect((await post('gzip', null)).status).toBe(422);
  });
});

describe('a text that no column can store', () => {
  it.each([
    ['{"name":"a\\ud800"}', 'name', 'surrogate'],
    ['{"name":"a\\u0000"}', 'name', 'U+0000'],
    ['{"name":"a","facts":{"deep":[{"in":"\\udc00"}]}}', 'facts.deep.0.in', 'surrogate'],
    ['{"name":"a","facts":{"\\ud800":1}}', 'facts.\ufffd', 'name contains half'],
  ])('is refused by the name of its field: %s', async (body, field, message) => {
    const errors = [{ field, message: expect.stringContaining(message) }];
    expect(await ask('POST', '', body)).toMatchObject({ status: 422, body: { code: 'invalid_text', errors } });
  });

  it('is refused in a query and in a path too', async () => {
    expect(await ask('GET', '?limit=%00')).toMatchObject({ status: 422, body: { code: 'invalid_text' } });
    expect(await ask('GET', '/numbered/%00')).toMatchObject({ status: 422, body: { code: 'invalid_text' } });
  });

  it('does not include a surrogate pair', async () => {
    expect((await ask('POST', '', '{"name":"\\ud83d\\udca9"}')).status).toBe(201);
  });
});

describe('a body nested too deeply', () => {
  it.each([
    ['objects', '{"a":', '}', '1'],
    ['lists', '[', ']', '1'],
    ['objects with what must not be kept at the end', '{"a":', '}', '{"url":"data:,x","__proto__":1}'],
    ['lists with what no column can store at the end', '[', ']', '"\\ud800"'],
  ])('is refused for that, before anything looks into it: %s', async (_, open, close, end) => {
    const body = `{"name":"a","facts":{"deep":${open.repeat(20_000)}${end}${close.repeat(20_000)}}}`;
    expect(await ask('POST', '', body)).toMatchObject({ status: 422, body: { code: 'too_deep' } });
  });

  it('is one of over a hundred levels', async () => {
    const nested = (levels: number) => `{"name":"a","facts":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    expect((await ask('POST', '', nested(99))).status).toBe(201);
    expect(await ask('POST', '', nested(100))).toMatchObject({ status: 422, body: { code: 'too_deep' } });
  });
});

describe('a name or an address that must not be kept', () => {
  it.each([
    ['{"name":"a","facts":{"__proto__":{"admin":true}}}', 'facts.__proto__', 'named __proto__'],
    ['{"name":"a","__proto__":{"admin":true}}', '__proto__', 'named __proto__'],
    ['{"name":"a","facts":{"constructor":{"prototype":{"admin":true}}}}', 'facts.constructor', 'named constructor'],
    ['{"name":"a","facts":{"deep":[{"prototype":1}]}}', 'facts.deep[0].prototype', 'named prototype'],
    ['{"name":"a","facts":{"url":"java\\tscript:alert(1)"}}', 'facts.url', 'address'],
    ['{"name":"a","facts":{"icons":["data:image/svg+xml,x"]}}', 'facts.icons[0]', 'address'],
  ])('is refused with its field and the reason: %s', async (body, field, message) => {
    const errors = [{ field, message: expect.stringContaining(message) }];
    expect(await ask('POST', '', body)).toMatchObject({ status: 422, body: { code: 'unsafe_content', errors } });
  });
});

describe('a row number in a path', () => {
  it.each([
    ['7', 200],
    ['2147483647', 200],
    ['2147483648', 404],
    ['9223372036854775808', 404],
    ['0', 404],
    ['-1', 404],
    ['0.5', 400],
    ['1e999', 400],
    ['x', 400],
  ])('is one that its column can have: %s', async (number, status) => {
    expect((await ask('GET', `/numbered/${number}`)).status).toBe(status);
  });
});

describe('a list of objects', () => {
  it.each([
    ['[{"part":"a"}]', 201],
    ['[[{"part":"a"}]]', 422],
    ['[null]', 422],
    ['["a"]', 422],
    ['{}', 422],
  ])('contains nothing else: %s', async (parts, status) => {
    expect((await ask('POST', '', `{"name":"a","parts":${parts}}`)).status).toBe(status);
  });
});

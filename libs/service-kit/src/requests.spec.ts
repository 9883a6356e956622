import { Body, Controller, Delete, Get, HttpCode, Module, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { testServiceKey } from '#libs/testing';
import { createService, type Page, pageOf, PageQuery, PublicRoute, Text } from './index.js';

class Named {
  @Text(10, { minLength: 1 }) name: string;
}

@Controller('things')
@PublicRoute()
class Things {
  @Get()
  list(@Query() { limit, cursor }: PageQuery): Page<string> {
    const rows = ['a', 'b', 'c', 'd/\u00e9'].filter((row) => row > (cursor ?? '')).slice(0, limit + 1);
    return pageOf(rows, limit, (row) => row);
  }

  @Delete()
  @HttpCode(204)
  remove(): void {
    // Nothing is kept.
  }

  @Post()
  add(@Body() { name }: Named): Named {
    return { name };
  }
}

@Module({ controllers: [Things] })
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

const ask = async (method: string, query = '', body?: string): Promise<{ status: number; body: any }> => {
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
      const { data, next_cursor: next } = (await ask('GET', query)).body;
      seen.push(...data);
      query = next === null ? '' : `?limit=1&cursor=${next}`;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd/\u00e9']);
  });

  it.each(['', 'a', 'evt_0198', 'AAAAAAAAAAAA', '%00', 'a&cursor=b', 'x'.repeat(5_000)])(
    'that is none is refused, and is not page one: %.20s',
    async (cursor) => {
      expect(await ask('GET', `?cursor=${cursor}`)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    },
  );

  it('that was cut short or changed is none', async () => {
    const { next_cursor: cursor } = (await ask('GET', '?limit=2')).body;
    for (const other of [cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, cursor.toUpperCase()]) {
      expect(await ask('GET', `?cursor=${other}`)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
  });
});

describe('a request that says JSON and has no body', () => {
  it('has no body', async () => {
    expect(await ask('DELETE')).toEqual({ status: 204, body: null });
    expect((await ask('GET')).status).toBe(200);
  });

  it('lacks what the route needs, by name', async () => {
    const errors = [{ field: 'name', message: expect.any(String) }];
    expect(await ask('POST')).toMatchObject({ status: 422, body: { code: 'invalid_fields', errors } });
  });

  it('is refused where its body is no JSON', async () => {
    expect((await ask('POST', '', '{')).status).toBe(400);
  });
});

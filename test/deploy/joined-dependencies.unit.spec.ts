import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs a module as if it were in dist/, and returns its output. */
function inDist(program: string): unknown {
  const cwd = fileURLToPath(new URL('../../dist', import.meta.url));
  const args = ['--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('dependencies that the build has bundled', () => {
  it('are what the compiled services import', () => {
    const resolved = inDist(`console.log(JSON.stringify(
      ['typeorm', '@nestjs/common', 'bullmq', 'class-validator', 'pg'].map((name) => import.meta.resolve(name))))`);
    for (const url of resolved as string[]) expect(url).toContain('/dist/node_modules/');
  });

  it('are made by a process that ends: the one that keeps the system running loads no bundler', () => {
    const launcher = fileURLToPath(new URL('../../scripts/launcher/dependencies.mjs', import.meta.url));
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundle-'));
    const inputs = [{ name: 'pg/index', specifier: 'pg', text: 'export { default } from "pg";' }];
    const bundler = join(dirname(launcher), 'bundle-packages.mjs');
    const { status } = spawnSync(process.execPath, [bundler, folder], { input: JSON.stringify(inputs) });
    expect([status, existsSync(join(folder, 'pg/index.js'))]).toEqual([0, true]);
    expect(readFileSync(launcher, 'utf8')).not.toMatch(/rolldown/);
    rmSync(folder, { recursive: true });
  });

  it('exist once each: a class derived from another is validated and converted by the rules of that one', () => {
    const program = `
      import 'reflect-metadata';
      import { ValidationPipe } from '@nestjs/common';
      import { OmitType } from '@nestjs/swagger';
      import { Type } from 'class-transformer';
      import { IsInt, IsString } from 'class-validator';
      class Whole {}
      IsInt()(Whole.prototype, 'count');
      Type(() => Number)(Whole.prototype, 'count');
      IsString()(Whole.prototype, 'name');
      class Part extends OmitType(Whole, ['name']) {}
      const pipe = new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true });
      const check = (body) => pipe.transform(body, { type: 'body', metatype: Part }).catch((error) => error.getStatus());
      console.log(JSON.stringify([await check({ count: '5' }), await check({ count: 'x' }), await check({ name: 'x' })]));`;
    expect(inDist(program)).toEqual([{ count: 5 }, 400, 400]);
  });
});

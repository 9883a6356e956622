import { type DynamicModule, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CompileController } from './compile/compile.controller.js';
import { CompileService } from './compile/compile.service.js';
import { SandboxPool } from './pool/sandbox-pool.js';
import { EngineCallback } from './run/engine-callback.js';
import { RunController } from './run/run.controller.js';
import { RunService } from './run/run.service.js';
import { type RunnerSettings, SETTINGS } from './settings.js';

@Module({})
export class AppModule {
  static with(settings: RunnerSettings): DynamicModule {
    return {
      module: AppModule,
      controllers: [CompileController, RunController],
      providers: [{ provide: SETTINGS, useValue: settings }, SandboxPool, EngineCallback, CompileService, RunService],
    };
  }
}

/** Fits a run with every field at its limit, with room for JSON escapes and 64 KiB of credentials. */
export const bodyLimitOf = (settings: RunnerSettings): number =>
  2 * (settings.PYTHON_SOURCE_BYTES + settings.PYTHON_ARGUMENT_BYTES + 65_536);

/** Not ready until the first child is warm: a caller would have to wait for it. */
export async function notReady(app: NestFastifyApplication): Promise<string | null> {
  const { everWarm, startFailure } = app.get(SandboxPool);
  if (everWarm) return null;
  return startFailure === null ? 'no sandbox has started yet' : `sandboxes do not start: ${startFailure}`;
}

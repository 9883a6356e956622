import {
  columnsOf,
  deliverySend,
  newId,
  type TurnInput,
  type TurnOfSession,
  turnRun,
  type TurnRunPayload,
} from '#libs/contracts';
import { JobClient } from '#libs/queue';
import type { Principal } from '#libs/service-kit';
import { type As, home, openWorld, testEnvironment, testRedisUrl, type World } from '#libs/testing';
import { type EngineSettings, readSettings } from '../env.js';
import { engineService } from '../service.js';
import type { EngineInternalViews, EngineViews } from './engine-views.js';
import { type FakeModel, fakeModel } from './fake-model.js';
import { type FakeServices, fakeServices } from './fake-services.js';
import { type RecordingServer, recordingServer } from './recording-server.js';

/** Engines, and what their agents reach: a model, the other services and a third party's server. */
export interface EngineWorld extends World<EngineSettings, EngineViews, EngineInternalViews> {
  jobs: JobClient;
  model: FakeModel;
  /** The registry, the vault and the runner; the router and the gateway where a test says so. */
  services: FakeServices;
  target: RecordingServer;
}

/** @param caller who uses `call`, unless a test says otherwise: a key with the scope `admin` */
export async function engineWorld(caller: Partial<Principal> = {}): Promise<EngineWorld> {
  const [model, services, target] = await Promise.all([fakeModel(), fakeServices(), recordingServer()]);
  const jobs = new JobClient(testRedisUrl());
  const world = await openWorld<EngineSettings, EngineViews, EngineInternalViews>({
    service: engineService,
    settings: {
      ...engineDefaults(),
      MODEL_BASE_URL: model.url,
      MODEL_NAME: 'fake',
      MCP_REGISTRY_URL: services.url,
      VAULT_URL: services.url,
      PYTHON_RUNNER_URL: services.url,
    },
    caller,
    queues: [turnRun.queue, deliverySend.queue],
    beside: [jobs, model, services, target],
  });
  return Object.assign(world, { jobs, model, services, target });
}

/** As a tool that a runner runs calls the engine back. */
export const bearer = (token: string): As => ({ headers: { authorization: `Bearer ${token}` } });

/** The settings of an engine whose rehearsal model answers. */
export const rehearsal: Partial<EngineSettings> = { MODEL_BASE_URL: null, MODEL_NAME: null };

export const engineDefaults = (): EngineSettings => ({
  ...readSettings(testEnvironment()),
  SESSION_SEARCH_SCAN: 10,
  COMPARISON_CASES: 10,
  COMPARISON_AT_ONCE: 2,
  COMPARISONS_OPEN: 3,
  COMPARISON_EVERY_MS: 50,
  MODEL_CURRENCY: 'EUR',
  MODEL_TIMEOUT_MS: 30_000,
  MODEL_MAX_OUTPUT_TOKENS: 500,
  MODEL_ANSWER_BYTES: 1_048_576,
  MODEL_TEST_MS: 5_000,
  TURN_WALL_CLOCK_MS: 60_000,
  TURN_STREAMS: 20,
  TURN_STREAMS_PER_PROJECT: 10,
  TURN_STREAM_EVERY_MS: 20,
  APPROVAL_WAIT_MS: 3_600_000,
  POISON_TRIAL_MS: 1_000,
  TURN_ATTENTION_MS: 0,
  TOOL_TIMEOUT_MS: 30_000,
  DOCUMENT_MAX_CHARS: 100_000,
  AGENT_CACHE_MS: 0,
  SWEEP_EVERY_MS: 100,
  SWEEP_AFTER_MS: 60_000,
});

/** The session of a key, in which each message is answered separately. */
export function sessionOf(key: string): TurnOfSession {
  return { key, contact_id: null, inbox_mode: 'queue', reset_before: null };
}

/** A job for a turn on a message from `ada`. */
export function turnOf(over: Partial<TurnRunPayload> = {}, input: Partial<TurnInput> = {}): TurnRunPayload {
  const app_id = over.app_id ?? newId('app');
  return {
    turn_id: newId('trn'),
    ...columnsOf(home),
    app_id,
    receipt_id: newId('evt'),
    message_id: newId('msg'),
    run: null,
    session: null,
    agent_id: null,
    input: {
      message: { event_type: 'message', sender: 'ada', message: 'hello there', is_bot: false, metadata: { ticket: 7 } },
      verified: true,
      trust: 'known',
      instructions: null,
      reply: { app_id, channel_address: 'room-1', thread_id: null, reply_context: null },
      ...input,
    },
    ...over,
  };
}

import type { EngineSettings } from '../settings.js';
import { type EngineWorld, engineWorld } from './engine-world.js';
import { type FakeModel, fakeModel } from './fake-model.js';
import { type FakeServices, fakeServices } from './fake-services.js';
import { type RecordingServer, recordingServer } from './recording-server.js';

/** An engine's world with what its agents reach: a model, the other services and a third party's server. */
export interface ServedEngine {
  world: EngineWorld;
  model: FakeModel;
  target: RecordingServer;
  services: FakeServices;
  /** The addresses, as settings of an engine. */
  settings: Partial<EngineSettings>;
  /** Also stops the engines. */
  close(): Promise<void>;
}

export async function servedEngine(): Promise<ServedEngine> {
  const [world, model, target, services] = await Promise.all([
    engineWorld(),
    fakeModel(),
    recordingServer(),
    fakeServices(),
  ]);
  return {
    world,
    model,
    target,
    services,
    settings: {
      MODEL_BASE_URL: model.url,
      MODEL_NAME: 'fake',
      MCP_REGISTRY_URL: services.url,
      VAULT_URL: services.url,
      PYTHON_RUNNER_URL: services.url,
    },
    close: async () => {
      await world.close();
      await Promise.all([model.close(), target.close(), services.close()]);
    },
  };
}

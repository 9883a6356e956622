import { until } from '#libs/testing';
import type { EventDetail } from '../system/api.js';
import { startSmallSystem, type System } from '../system/system.js';
import { hmac, post, type WebhookAnswer } from '../system/webhook.js';
import { type ContractAdapter, type ContractProcess, startContractProcess } from './contract-process.js';

/** The parts of an App that these tests read. */
export interface ContractApp {
  id: string;
  name: string;
  direction: string | null;
  webhook_url: string | null;
  credentials: { key: string; maps_to: string; credential_id: string | null; status: string | null }[];
  /** Keys of declarations. */
  missing: string[];
  warnings: { code: string; message: string }[];
}

/** An answer of the portal, whatever its status. */
export interface PortalAnswer<T> {
  status: number;
  body: T;
  headers: Headers;
}

/** A running system, and adapters written from the contract alone. They only talk HTTP. */
export interface ContractWorld extends System {
  adapters: ContractProcess;
  /** Calls the portal. A refusal is returned like any answer. */
  ask<T = unknown>(method: string, path: string, body?: unknown): Promise<PortalAnswer<T>>;
  /** Registers an adapter. @returns its id */
  register(adapter: ContractAdapter): Promise<string>;
  /** Registers an adapter and installs its App, which replies to everybody. */
  install(adapter: ContractAdapter, body?: object): Promise<ContractApp>;
  /** Sends a platform event to an App's webhook. @param secret signs it */
  send(app: ContractApp, event: object, secret?: string): Promise<WebhookAnswer>;
  /** Sends an event and waits for its outcome. */
  outcomeOf(app: ContractApp, event: object, secret?: string): Promise<EventDetail>;
  close(): Promise<void>;
}

/** @param settings environment variables for every service */
export async function startContractWorld(settings: Record<string, string> = {}): Promise<ContractWorld> {
  const [system, adapters] = await Promise.all([startSmallSystem(settings), startContractProcess()]);
  const ask: ContractWorld['ask'] = async (method, path, body) => {
    const answer = await fetch(`${system.origin('portal')}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${system.apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    const json = /json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, body: json && text ? JSON.parse(text) : text };
  };
  const register: ContractWorld['register'] = async ({ url }) =>
    (await system.api<{ id: string }>('POST', '/api/v1/adapters', { url })).id;
  const send: ContractWorld['send'] = (app, event, secret) => {
    const body = JSON.stringify(event);
    return post(app.webhook_url ?? '', body, secret === undefined ? {} : { 'x-signature-256': hmac(secret, body) });
  };
  return {
    ...system,
    adapters,
    ask,
    register,
    install: async (adapter, body = {}) => {
      await register(adapter);
      const app = await system.api<ContractApp>('POST', `/api/v1/listings/${adapter.slug}/install`, body);
      await until('the channel of the App can be set', async () => {
        const { status } = await ask('PUT', `channels/${app.id}`, { unknown_senders: 'open' });
        return status === 200;
      });
      return app;
    },
    send,
    outcomeOf: async (app, event, secret) => system.ended((await send(app, event, secret)).id),
    close: async () => {
      await system.stop();
      await adapters.close();
    },
  };
}

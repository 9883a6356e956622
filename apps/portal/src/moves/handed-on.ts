import type { AttentionItem, ProjectScope } from '#libs/contracts';
import type { ProjectPeer } from '#libs/journal';
import { type Audience, notFound, Problem, type ServiceClient, ServiceTokens } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { importJWK, type JWK, jwtVerify } from 'jose';
import { clientsOfMoves } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { MoveRepository } from './move.repository.js';

/** A receipt on its way. What is in it is the business of the two ingresses. */
export interface MovingReceipt {
  id: string;
  received_at: string;
}

export interface WaitingReceipts {
  waiting: number;
  oldest_at: string | null;
  last_received_at: string | null;
}

/** The webhooks of projects that have left or have come: the ingress has them, and the vault the key that signs them. */
@Injectable()
export class HandedOn {
  private readonly clients: Map<Audience, ServiceClient>;

  constructor(
    private readonly moves: MoveRepository,
    tokens: ServiceTokens,
    @Inject(SETTINGS) settings: PortalSettings,
  ) {
    this.clients = clientsOfMoves(settings, tokens);
  }

  waiting(scope: ProjectScope): Promise<WaitingReceipts> {
    return this.client('webhook-ingress').get('/internal/handed-on', scope);
  }

  /** Whether an ingress has webhooks on its disk that Postgres did not take, as the one says that answers. */
  async isSpooled(scope: ProjectScope): Promise<boolean> {
    const { data } = await this.client('webhook-ingress').get<{ data: AttentionItem[] }>('/internal/attention', scope);
    return data.some(({ code }) => code === 'webhooks_spooled');
  }

  /** Oldest first. */
  async next(scope: ProjectScope, limit: number): Promise<MovingReceipt[]> {
    const path = `/internal/handed-on/receipts?limit=${limit}`;
    return (await this.client('webhook-ingress').get<{ receipts: MovingReceipt[] }>(path, scope)).receipts;
  }

  async end(scope: ProjectScope, ids: string[], to: string): Promise<void> {
    await this.client('webhook-ingress').post('/internal/handed-on/ends', scope, { ids, to });
  }

  /** One that is never taken there ends here. */
  async deadLetter(
    scope: ProjectScope,
    dead: { id: string; to: string; reason: string; error: string },
  ): Promise<void> {
    await this.client('webhook-ingress').post('/internal/handed-on/dead-letters', scope, dead);
  }

  /** The key with which this installation signs what it hands on. */
  async publicKey(scope: ProjectScope): Promise<Record<string, unknown>> {
    const path = '/internal/hand-on-key';
    return (await this.client('credential-vault').get<{ public_key: Record<string, unknown> }>(path, scope)).public_key;
  }

  /** A proof that this installation hands on webhooks of the project. */
  async token(scope: ProjectScope): Promise<string> {
    const client = this.client('credential-vault');
    return (await client.post<{ token: string }>('/internal/hand-on-key/tokens', scope, {})).token;
  }

  /**
   * The installation from which the project came, if that is who calls.
   * @throws Problem 401, with the same words whether the project came from anywhere or not
   */
  async requirePeer(projectId: string, authorization: string | undefined): Promise<ProjectPeer> {
    const peer = await this.moves.peer(projectId);
    if (!peer) throw notThePeer(projectId);
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
    try {
      await jwtVerify(token, await importJWK(peer.hand_on_key as JWK, 'EdDSA'), {
        algorithms: ['EdDSA'],
        audience: 'gatehouse:handed-on',
        subject: projectId,
        requiredClaims: ['exp', 'iat'],
        maxTokenAge: '2 minutes',
        clockTolerance: 30,
      });
      return peer;
    } catch {
      throw notThePeer(projectId);
    }
  }

  /**
   * Stores what the peer hands on.
   * @throws Problem as `requirePeer`; 410 `project_left` when it has moved on, and nothing is handed on from here
   */
  async take(projectId: string, authorization: string | undefined, body: unknown): Promise<void> {
    const { organization_id: organizationId } = await this.requirePeer(projectId, authorization);
    const held = await this.moves.find(projectId);
    if (held && (held.state === 'ending' || held.ended_at !== null)) {
      const detail = `The project ${projectId} has moved on to ${held.peer}, and nothing is handed on from here.`;
      throw new Problem(410, 'project_left', detail);
    }
    await this.client('webhook-ingress').post('/internal/handed-on/receipts', { organizationId, projectId }, body);
  }

  private client(service: Audience): ServiceClient {
    const client = this.clients.get(service);
    if (!client) throw notFound('service', service);
    return client;
  }
}

const notThePeer = (projectId: string): Problem =>
  new Problem(
    401,
    'not_authenticated',
    `The token does not prove that webhooks of ${projectId} may be handed on to here: it has expired, was made for something ` +
      'else, or the project did not come from where it was made.',
  );

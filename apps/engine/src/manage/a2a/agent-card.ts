import { A2A_PROTOCOL_VERSION, type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { a2aUrlOf } from '../publications/publication.dto.js';
import type { CardWords } from '../publications/publication.repository.js';
import { AgentKeys } from './agent-keys.js';

const scheme = 'gatehouse';

/** The ways of A2A 1.0 to write a call that are served; the one preferred first (5.2). */
const bindings = ['JSONRPC', 'HTTP+JSON'] as const;
export type Binding = (typeof bindings)[number];

/** Cards of published agents (A2A 1.0, 4.4.1), signed (8.4: JWS over the canonical card). */
@Injectable()
export class AgentCards {
  constructor(
    private readonly keys: AgentKeys,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Where those who check a signature find the keys. */
  get jwksUrl(): string {
    return `${new URL(this.settings.PUBLIC_URL).origin}/a2a/jwks.json`;
  }

  async signed(agent: CardWords): Promise<AgentCard> {
    const { kid, key } = await this.keys.signing;
    const sign = generateAgentCardSignature(key, { alg: 'EdDSA', typ: 'JOSE', kid, jku: this.jwksUrl });
    return sign(this.of(agent));
  }

  /** What callers learn of an agent: what people have written for them, and nothing of how it is made. */
  of({ agent_id, agent_name, name, description, examples, version }: CardWords): AgentCard {
    // Files of text are read as part of the message (asked-text.ts).
    const texts = ['text/plain', 'text/markdown', 'text/csv', 'application/json', 'application/xml'];
    const skill = { id: name, name: agent_name, description, tags: [name], examples };
    return {
      name: agent_name,
      description,
      supportedInterfaces: bindings.map((protocolBinding) => ({
        url: a2aUrlOf(this.settings.PUBLIC_URL, agent_id),
        protocolBinding,
        tenant: '',
        protocolVersion: A2A_PROTOCOL_VERSION,
      })),
      provider: undefined,
      version: String(version),
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false, extensions: [] },
      securitySchemes: {
        [scheme]: {
          scheme: {
            $case: 'httpAuthSecurityScheme',
            value: {
              scheme: 'bearer',
              bearerFormat: '',
              description: 'An API key of the Gatehouse project, with the scope agents:ask',
            },
          },
        },
      },
      securityRequirements: [{ schemes: { [scheme]: { list: [] } } }],
      defaultInputModes: texts,
      defaultOutputModes: ['text/markdown', 'text/plain'],
      skills: [{ ...skill, inputModes: [], outputModes: [], securityRequirements: [] }],
      signatures: [],
    };
  }
}

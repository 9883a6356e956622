import type { Providers } from './providers.js';

const skill = { name: 'Told', knowledge: 'Of a manifest.', tool_names: ['http_request'] };
const credentials = [{ key: 'TOKEN', type: 'text', label: 'Token', maps_to: 'token' }];
const manifest = {
  schema_version: '1.0',
  slug: 'hostile',
  name: 'Hostile',
  description: 'A skill.',
  category: 'Integration',
  skill,
  credentials,
  webhook: { verification: 'none' },
  setup_instructions: ['Do it.'],
  author: { name: 'Me' },
};
const remotes = [{ type: 'streamable-http', url: 'http://127.0.0.1:9/' }];
const issuer = { authorization_url: 'http://127.0.0.1:9/authorize', token_url: 'http://127.0.0.1:9/token' };

/** Examples for bodies whose operations require more than their schemas say, by operationId. */
export function exampleBodies({ mcpUrl }: Providers): Record<string, Record<string, unknown>> {
  return {
    registerAdapter: { manifest },
    refreshAdapter: { manifest },
    createCredential: { type: 'text', fields: { password: 'x', codes: ['y', 'z'] } },
    updateCredential: { fields: { password: 'x' } },
    rotateCredential: { fields: { password: 'x', codes: ['y'] } },
    configureGrant: { provider: 'orbit', config: issuer },
    importSkill: {
      files: [
        { path: 'SKILL.md', content: '---\nname: walked\ndescription: How to walk.\n---\nOne foot after the other.\n' },
        { path: 'tools/add.py', content: 'def add(a: int) -> int:\n    """Adds."""\n    return a\n' },
      ],
    },
    putManifestSkill: { manifest: { slug: 'told', name: 'Told', skill } },
    registerMcpServer: { url: mcpUrl, name: 'x' },
    importMcpServer: { server: { name: 'io.example/x', version: '1', remotes } },
  };
}

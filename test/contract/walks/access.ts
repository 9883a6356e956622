import { askOf, type Ground, type Listed } from './walk.js';

/** Keys, projects, credentials: who may do what. */
export function walkAccess(ground: () => Ground): void {
  const ask = askOf(ground);

  it('for projects and keys', async () => {
    await ask('GET', 'organizations/current');
    const { data } = await ask<Listed>('GET', 'projects');
    await ask('GET', `projects/${data[0]?.id}`);
    const key = await ask('POST', 'api-keys', { name: 'walk', scopes: ['events:read'] });
    await ask('GET', 'api-keys');
    await ask('GET', 'audit?limit=1');
    await ask('GET', 'attention');
    const view = await ask('POST', 'views', {
      list: 'events',
      name: 'walk',
      search: { outcome: 'dead' },
      shared: true,
    });
    await ask('GET', 'views?list=events');
    await ask('DELETE', `views/${view.id}`);
    await ask('GET', 'queues');
    await ask('GET', 'diagnostics');
    await ask('DELETE', `api-keys/${key.id}`);
    const { id } = await ask('POST', 'projects', { name: 'Walked' });
    await ask('PATCH', `projects/${id}`, { name: 'Walked on' });
    const none = {
      messages_per_second: null,
      concurrent_turns: null,
      deliveries_per_address_per_minute: null,
      day_tokens: null,
      day_cost_micros: null,
      month_tokens: null,
      month_cost_micros: null,
    };
    await ask('PUT', `projects/${id}/limits`, { ...none, retention_days: 7 });
    await ask('POST', `projects/${id}/close`);
    await ask('GET', 'moves/key');
    await ask('GET', `moves/${id}`);
    await ask('POST', 'moves', { project_id: id, to: 'https://elsewhere.example' });
    await ask('POST', `moves/${id}/abort`);
    await ask('DELETE', `moves/${id}`);
    await ask('POST', `projects/${id}/reopen`);
    const organizations = await ask<Listed>('GET', 'organizations');
    await ask('PATCH', `organizations/${organizations.data[0]?.id}`, { name: 'Walked' });
  });

  it('for members, and how they sign in', async () => {
    await ask('GET', 'roles');
    await ask('GET', 'sign-in/methods');
    const { id } = await ask('POST', 'members', { email: 'walked@example.com', role: 'viewer' });
    await ask('GET', 'members');
    await ask('GET', `members/${id}`);
    await ask('PATCH', `members/${id}`, { name: 'Walked', role: 'operator' });
    const { sign_in_link } = await ask<{ sign_in_link: string }>('POST', `members/${id}/sign-in-link`);
    await ask('POST', 'sign-in/link', { token: new URL(sign_in_link).hash.replace('#token=', '') });
    await ask('GET', `member-sessions?member_id=${id}`);
    await ask('DELETE', `members/${id}`);
  });

  it('for credentials', async () => {
    const fields = { password: 'first', codes: ['one', 'two'] };
    const { id } = await ask('POST', 'credentials', { name: 'walked', type: 'text', fields });
    await ask('GET', 'credentials');
    await ask('GET', 'key-rotation');
    await ask('GET', `credentials/${id}`);
    await ask('PATCH', `credentials/${id}`, { name: 'walked on' });
    await ask('POST', `credentials/${id}/rotate`, { fields });
    await ask('POST', `credentials/${id}/fields/codes/rotate`, { value: 'three' });
    await ask('POST', `credentials/${id}/fields/codes/finish-rotation`);
    const bound = { consumer_kind: 'app', consumer_id: ground().system.appId, fields: ['password'] };
    const binding = await ask('POST', `credentials/${id}/bindings`, bound);
    await ask('GET', `credentials/${id}/bindings`);
    await ask('PATCH', `credentials/${id}/bindings/${binding.id}`, { fields: ['codes'] });
    await ask('DELETE', `credentials/${id}/bindings/${binding.id}`);
    await ask('GET', `credentials/${id}/audit`);
    await ask('DELETE', `credentials/${id}`);
    await ask('GET', 'credentials/revocations');
  });

  it('for a credential that its adapter verifies', async () => {
    const url = `${ground().system.origin('adapters')}/smtp`;
    await ask('POST', 'adapters', { url });
    const fields = { host: '127.0.0.1', port: '1', from: 'a@example.com' };
    const { id } = await ask('POST', 'credentials', { name: 'mail', type: 'text', adapter_slug: 'smtp', fields });
    await ask('POST', `credentials/${id}/verify`);
  });

  it('for grants of OAuth', async () => {
    const fields = { client_id: 'gatehouse', client_secret: 'secret' };
    const made = { name: 'granted', type: 'oauth2', grant: 'authorization_code', fields };
    const { id } = await ask('POST', 'credentials', made);
    const issuer = { authorization_url: 'http://127.0.0.1:1/authorize', token_url: 'http://127.0.0.1:1/token' };
    await ask('PUT', `credentials/${id}/oauth`, { provider: 'orbit', config: issuer });
    await ask('GET', `credentials/${id}/oauth`);
    await ask('POST', `credentials/${id}/connect`, {});
    const link = await ask<{ url: string }>('POST', `credentials/${id}/connect-links`, {});
    await ask('GET', 'oauth/clients/orbit');
    await ask('GET', `oauth/links/${link.url.split('/').at(-1)}`).catch(isPage);
    await ask('POST', `credentials/${id}/oauth/revoke`);
  });

  it('for notifications', async () => {
    await ask('PUT', 'credentials/notifications', { url: `${ground().sink.url}/told` });
    await ask('GET', 'credentials/notifications');
    await ask('DELETE', 'credentials/notifications');
  });
}

/** A page for browsers is checked, but not parsed as JSON. */
function isPage(error: unknown): void {
  if (!(error instanceof SyntaxError)) throw error;
}

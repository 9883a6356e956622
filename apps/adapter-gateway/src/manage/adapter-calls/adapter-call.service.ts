import { type FormatResult, isJsonObject, offersFeature } from '#libs/adapter-sdk';
import type { ProjectScope } from '#libs/contracts';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterClient } from '../../path/adapters/adapter-client.js';
import { wrongFormat, wrongIndication } from '../../path/adapters/answer-fields.js';
import { AdapterError } from '../../path/adapters/adapter-answer.js';
import { InstalledRepository } from '../../path/adapters/installed.repository.js';
import { type CallTarget, CallTargets } from '../apps/call-targets.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { SourceAdapter } from '../../sources/source-adapter.js';
import { SourceError } from '../../sources/source-error.js';
import { WebChatFiles } from '../../web-chat/web-chat-files.js';
import type { AdapterCall, FetchFileCall, FormatCall, IndicateCall, ListChangesCall } from './adapter-call.dto.js';
import { withRetries } from './with-retries.js';
import { VerifyCalls } from './verify-calls.js';
import type { VerifyOutcome } from './verify-outcome.js';

type Refusal = { ok: false; error: string; message: string };

/** Calls of adapters for services that wait for the answer. All of these may be repeated; see `Outbox` for the rest. */
@Injectable()
export class AdapterCallService {
  constructor(
    private readonly targets: CallTargets,
    private readonly installed: InstalledRepository,
    private readonly adapters: AdapterClient,
    private readonly verifyCalls: VerifyCalls,
    private readonly sources: SourceAdapter,
    private readonly chatFiles: WebChatFiles,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** A failed call is an outcome too. @throws Problem 4xx when the call cannot be made as requested */
  verify(caller: Principal, call: AdapterCall): Promise<VerifyOutcome> {
    return this.verifyCalls.ask(
      (ask) => this.reach(caller, call, ask),
      ({ status }) => status < 500,
    );
  }

  format(caller: Principal, call: FormatCall): Promise<FormatResult> {
    const { text, mode = 'rich', max_length: maxLength } = call;
    const asked = { text, mode, ...(maxLength === undefined ? {} : { max_length: maxLength }) };
    return this.ask(caller, call, ({ baseUrl, credentials, context }) =>
      this.adapters.post<FormatResult>(baseUrl, '/format', { credentials, ...asked }, context, wrongFormat),
    );
  }

  /** Asked once: whoever waits has forgotten it before a second try. @returns `ok` false: the channel shows nothing */
  async indicate(caller: Principal, { app_id, ...shown }: IndicateCall): Promise<{ ok: boolean }> {
    const answer = await withRetries(
      () =>
        this.reach(caller, { app_id }, async ({ baseUrl, manifest, credentials, context }) =>
          offersFeature(manifest, 'typing')
            ? this.adapters.post<{ ok: boolean }>(
                baseUrl,
                '/indicate',
                { credentials, ...shown, thread_id: shown.thread_id ?? '' },
                context,
                wrongIndication,
              )
            : { ok: false },
        ),
      { attempts: 1, budgetMs: 0 },
    );
    return { ok: answer.ok };
  }

  async listChanges(caller: Principal, call: ListChangesCall): Promise<object> {
    return this.ask(caller, call, async (target) => {
      const page = await this.sources
        .listChanges(target, call.resource_path, call.cursor ?? null)
        .catch(refusalOfSource);
      if ('ok' in page) return page;
      const { changes, cursor, hasMore, full } = page;
      return { changes, cursor, has_more: hasMore, ...(full === null ? {} : { full }) };
    });
  }

  async fetchFile(caller: Principal, call: FetchFileCall): Promise<object> {
    return this.ask(caller, call, async (target) => {
      // No provider has them: they are kept here.
      if (target.manifest.message?.mailbox) return this.visitorFile(call);
      const file = await this.sources.fetchFile(target, call.resource_path, call.file_path).catch(refusalOfSource);
      if ('ok' in file) return file;
      const { bytes, contentType, fingerprint, sha256 } = file;
      const content = bytes.toString('base64');
      return { content_base64: content, content_type: contentType, size: bytes.length, fingerprint, sha256 };
    });
  }

  private async visitorFile({ app_id: appId = '', file_path: path }: FetchFileCall): Promise<object> {
    const found = await this.chatFiles.attachment(appId, path);
    if (!found) return { ok: false, error: 'not_found', message: 'the file is no longer kept' };
    const { content, content_type } = found;
    return { content_base64: content.toString('base64'), content_type, size: content.length };
  }

  private async ask<T>(caller: Principal, call: AdapterCall, ask: (target: CallTarget) => Promise<T>): Promise<T> {
    const { ADAPTER_CALL_ATTEMPTS: attempts, ADAPTER_TIMEOUT_MS: budgetMs } = this.settings;
    return withRetries(() => this.reach(caller, call, ask), { attempts, budgetMs });
  }

  private async reach<T>(caller: Principal, call: AdapterCall, ask: (target: CallTarget) => Promise<T>): Promise<T> {
    const scope = scopeFor(caller, call.organization_id);
    if (call.app_id !== undefined && call.adapter_slug === undefined && call.credentials === undefined) {
      const app = await this.installed.app(call.app_id);
      const mine = app?.organization_id === scope.organizationId;
      if (!mine || (scope.projectId && app.project_id !== scope.projectId)) throw notFound('app', call.app_id);
      return this.targets.withApp(call.app_id, ask);
    }
    if (call.adapter_slug === undefined || call.app_id !== undefined) {
      throw new Problem(422, 'app_or_adapter', 'Give app_id, or adapter_slug with credentials.');
    }
    const credentials = isJsonObject(call.credentials) ? call.credentials : {};
    const given = { credentials, type: call.credential_type, credentialId: call.credential_id };
    return ask(await this.targets.ofAdapter(scope, call.adapter_slug, given));
  }
}

/** The organization that a service names, if its token is for that one or for none. @throws Problem 404 */
export function scopeFor(caller: Principal, organizationId: string | undefined): ProjectScope {
  if (organizationId === undefined || organizationId === caller.organizationId) return caller;
  if (caller.organizationId !== '') throw notFound('organization', organizationId);
  return { organizationId, projectId: '' };
}

/** A refusal of the source is an answer; a failure on the way to it is an error. */
function refusalOfSource(error: unknown): Refusal {
  if (!(error instanceof SourceError)) throw error;
  if (error.code === 'contract_violation') throw new AdapterError('contract_violation', error.message, false);
  return { ok: false, error: error.code, message: error.message };
}

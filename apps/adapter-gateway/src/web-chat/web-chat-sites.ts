import type { Credentials } from '#libs/adapter-sdk';
import { hasLeft, HeldProjects } from '#libs/journal';
import { PermanentFailure } from '#libs/queue';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AppCredentials } from '../path/apps/app-credentials.js';
import { type InstalledApp, InstalledApps } from '../path/apps/installed-apps.js';
import type { AppRow } from '../entities/app.entity.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import type { FastifyReply } from 'fastify';
import { readVisitor, type Visitor } from './visitor.js';

/** A visitor on a page that may use the chat of an App. */
export interface Visit {
  app: AppRow;
  visitor: Visitor;
}

/** Whether a page may use an App's chat, and who its visitor is. */
@Injectable()
export class WebChatSites {
  constructor(
    private readonly installed: InstalledApps,
    private readonly credentials: AppCredentials,
    private readonly holds: HeldProjects,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /**
   * A page of any origin may read its answer: to one that is not listed it says nothing but that, so that the page stops
   * trying. Requests carry no cookies: the visitor stands in the body.
   * @throws Problem as `visit`
   */
  visitFrom(
    reply: FastifyReply,
    { app, visitor }: { app?: unknown; visitor?: unknown },
    origin: string | undefined,
  ): Promise<Visit> {
    reply.header('vary', 'origin');
    if (origin !== undefined) reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', 'retry-after');
    return this.visit(app, origin, visitor);
  }

  /**
   * @param origin of the page, which a browser always sends; the console's own shows the preview
   * @param visitor as the page names it
   * @throws Problem 404 `web_chat_not_found`, 403 `origin_refused`, 401, 503 `project_moves`, 410 `project_left`
   */
  private async visit(appId: unknown, origin: string | undefined, visitor: unknown): Promise<Visit> {
    const installed = await this.chat(typeof appId === 'string' ? appId : '');
    const credentials = await this.credentials.ofConnected(installed);
    const origins = [new URL(this.settings.PUBLIC_URL).origin, ...originsOf(credentials)];
    if (origin === undefined || !origins.includes(origin.toLowerCase())) {
      throw new Problem(
        403,
        'origin_refused',
        'The page is of an origin that is not among the origins of this chat: add it to the credential of its App.',
      );
    }
    return { app: installed.app, visitor: await readVisitor(credentials, visitor) };
  }

  private async chat(appId: string): Promise<InstalledApp> {
    const found = await this.installed.get(appId).catch((error: unknown) => {
      if (error instanceof PermanentFailure) return null;
      throw error;
    });
    const isChat = found?.adapter?.manifest.message?.mailbox === true && found.app.state !== 'retired';
    if (!found || !isChat) throw new Problem(404, 'web_chat_not_found', 'There is no web chat of this App.');
    await this.requireHere(found.app.project_id);
    return found;
  }

  /** What visitors write is a row of this installation at once: it must not be one that was copied already. */
  private async requireHere(projectId: string): Promise<void> {
    const held = await this.holds.find(projectId);
    if (!held) return;
    if (hasLeft(held.state)) throw new Problem(410, 'project_left', `This chat has moved to ${held.peer}.`);
    throw new Problem(503, 'project_moves', 'This chat is being moved: try again in a while.', [], {
      'retry-after': '10',
    });
  }
}

/** The origins that are listed, each as browsers send it. */
function originsOf({ origins }: Credentials): string[] {
  const listed = [origins].flat().filter((one): one is string => typeof one === 'string');
  return listed
    .flatMap((text) => text.split(/[\s,]+/))
    .flatMap((one) => (URL.canParse(one) ? [new URL(one).origin.toLowerCase()] : []))
    .filter((one) => one !== 'null');
}

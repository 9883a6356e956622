import { offersFeature } from '#libs/adapter-sdk';
import type { ProjectScope } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { Injectable } from '@nestjs/common';
import { capabilitiesOf, canSend, type InstalledApp, InstalledApps } from '../path/apps/installed-apps.js';

/** An App that answers may go by. */
export interface MailApp {
  id: string;
  name: string;
  /** What is written to it arrives here, so that a reply continues the conversation. */
  canReply: boolean;
  takesFiles: boolean;
  maxFileBytes: number | null;
}

/** Which Apps send mail: those whose manifest says `message.mail`. */
@Injectable()
export class WebChatMailApps {
  constructor(private readonly installed: InstalledApps) {}

  /** @returns the App, or in words why it sends no mail */
  async find(scope: ProjectScope, id: string): Promise<MailApp | string> {
    const found = await this.installed.get(id).catch((error: unknown) => {
      if (error instanceof PermanentFailure) return null;
      throw error;
    });
    if (!found || !isOf(scope, found)) return 'The mail App of this web chat is gone: choose another one.';
    const { app, adapter } = found;
    if (!adapter || adapter.manifest.message?.mail !== true)
      return `${app.name} does not send mail: choose another App.`;
    if (app.state === 'retired') return `The mail App ${app.name} is retired: choose another one.`;
    if (!canSend(found)) return `The mail App ${app.name} cannot send: install it with that capability.`;
    const { manifest } = adapter;
    return {
      id,
      name: app.name,
      canReply: capabilitiesOf(app, manifest).includes('receive'),
      takesFiles: offersFeature(manifest, 'files'),
      maxFileBytes: manifest.message?.max_attachment_bytes ?? null,
    };
  }
}

const isOf = ({ organizationId, projectId }: ProjectScope, { app }: InstalledApp): boolean =>
  app.organization_id === organizationId && app.project_id === projectId;

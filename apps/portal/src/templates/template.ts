import type { ToolGrade } from '#libs/contracts';

/** A Python tool of a template. */
export interface TemplateTool {
  name: string;
  does: string;
  /** Of a call, as the registry grades this source. */
  grade: ToolGrade;
  source: string;
}

/** Where the events of the template's App have what the platform reads. */
interface Reading {
  items?: string;
  event_type?: string[];
  dedup_key?: string[];
  sender?: string[];
  text?: string[];
}

export interface TemplateSample {
  name: string;
  /** What a person sees happen. */
  shows: string;
  /** JSON. `{{now}}` becomes the time and `{{key}}` a random text, so that two of them are two messages. */
  body: object;
  headers?: Record<string, string>;
}

/** What only a person can give; the order is that of the list. */
export type OpenStepKind = 'model' | 'approver' | 'credential' | 'sender' | 'reply_address' | 'channel' | 'knowledge';

export interface TemplateNeed {
  kind: OpenStepKind;
  title: string;
  text: string;
  /** `credential`: the name by which the Skill's tools ask for it. */
  credential?: string;
}

/**
 * What fills an empty project: data, of which `partsOf` makes requests to the API. All of its Apps are the built-in
 * Webhook App with a secret of its own, because Python tools work for authenticated systems only.
 */
export interface Template {
  id: string;
  name: string;
  description: string;
  tools: TemplateTool[];
  /** It has all tools of the template. */
  skill: { name: string; slug: string; description: string; knowledge: string };
  agent: {
    name: string;
    does: string;
    instructions: string;
    /** Built-in tools. */
    tools: string[];
    /** Whoever applies it decides over calls that the agent may not make by itself, if that person may name approvers. */
    asks: boolean;
  };
  app: { name: string; does: string; header: string; reading?: Reading };
  /** `agent`: every message of the App is answered by the agent. `triggers`: only the trigger takes them. */
  channel: { to: 'agent' | 'triggers'; does: string };
  workflow: {
    name: string;
    does: string;
    instructions: string;
    steps: object[] | null;
    trigger: { does: string; event_types: string[]; where?: string };
  } | null;
  samples: TemplateSample[];
  needs: TemplateNeed[];
}

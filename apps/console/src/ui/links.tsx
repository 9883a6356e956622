import { Anchor, type AnchorProps } from '@mantine/core';
import { Link, type ToOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProjectId } from '../api/project-query.js';

/** A link within the console, in a line of text. */
export function TextLink({ to, size, children }: { to: ToOptions; size?: string; children: ReactNode }): ReactNode {
  return (
    <Anchor {...(size ? { size } : { inherit: true })} renderRoot={(props) => <Link {...props} {...to} />}>
      {children}
    </Anchor>
  );
}

interface LinkAnchorProps extends AnchorProps {
  to: ToOptions;
  children: ReactNode;
}

/** A link to another page of the console. */
export function LinkAnchor({ to, children, ...anchor }: LinkAnchorProps): ReactNode {
  return (
    <Anchor {...anchor} renderRoot={(props) => <Link {...props} {...to} />}>
      {children}
    </Anchor>
  );
}

interface ProjectLinkProps extends AnchorProps {
  /** Below `/p/<project>`: `/contacts/con_1`. Features link to each other's pages this way. */
  path: `/${string}` | '';
  search?: Record<string, string>;
  children: ReactNode;
}

/** A link to another page of this project. */
export function ProjectLink({ path, search, children, ...anchor }: ProjectLinkProps): ReactNode {
  const to: string = `/p/${useProjectId()}${path}`;
  return (
    <Anchor {...anchor} renderRoot={(props) => <Link {...props} to={to} search={search} />}>
      {children}
    </Anchor>
  );
}

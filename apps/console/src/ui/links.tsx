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

/**
 * A link to a page elsewhere, whose address somebody else wrote. One that is no web address is only text: decided by the
 * parsed URL, as the browser would follow it.
 */
export function OutsideLink({ href, children }: { href: string | undefined; children: ReactNode }): ReactNode {
  const isWeb = href !== undefined && isWebAddress(href);
  if (!isWeb) return children;
  return (
    <Anchor href={href} target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  );
}

export function isWebAddress(address: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(address)?.protocol ?? '');
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

import { html } from '#platform/http/html';
import { renderChoices } from '#surfaces/frame';
import { addChange } from '../change.ts';
import type { Mount } from '../mount.ts';
import { findEndpoint, renderWithSecret } from './endpoint-forms.ts';
import { endpointsUrl, pageOf, patchEndpoint, renderEndpointFacts } from './endpoint-pages.ts';

/** What takes a page with a button: test, enable, disable, delete, and a new secret. */
export function endpointActions(mount: Mount): void {
  addTest(mount);
  addSwitch(mount, 'disable');
  addSwitch(mount, 'enable');
  addRemoval(mount);
  addRotation(mount);
}

function addTest(mount: Mount): void {
  addChange(mount, {
    path: '/webhooks/:endpointId/test',
    find: findEndpoint,
    show: (visit, { endpoint, users }) => {
      const { webhooks } = visit.words.access;
      return {
        title: webhooks.test,
        lead: webhooks.testLead,
        about: renderEndpointFacts(visit, endpoint, users),
        label: webhooks.test,
        back: [pageOf(endpoint), webhooks.toEndpoint],
      };
    },
    request: (_typed, { endpoint }) => ({ method: 'POST', url: `${endpointsUrl}/${endpoint.id}/test` }),
    done: ({ reply }, _body, { endpoint }) => reply.redirect(pageOf(endpoint), 303),
  });
}

function addSwitch(mount: Mount, kind: 'enable' | 'disable'): void {
  const enabled = kind === 'enable';
  addChange(mount, {
    path: `/webhooks/:endpointId/${kind}`,
    stepUp: true,
    find: findEndpoint,
    show: (visit, { endpoint, users }, typed) => {
      const { webhooks } = visit.words.access;
      const missed = {
        name: 'replayMissed',
        label: webhooks.missed,
        choices: [['true', webhooks.alsoMissed]] as const,
      };
      const hasMissed = enabled && endpoint.missedAfter !== null;
      return {
        title: webhooks[kind],
        lead: enabled ? webhooks.enableLead : webhooks.disableLead,
        about: renderEndpointFacts(visit, endpoint, users),
        ...(hasMissed && {
          fields: html`<div class="fields">${renderChoices(missed, typed.all('replayMissed'))}</div>`,
        }),
        label: webhooks[kind],
        back: [pageOf(endpoint), webhooks.toEndpoint],
      };
    },
    request: (typed, { endpoint }) =>
      patchEndpoint(endpoint, { enabled, ...(typed.has('replayMissed') && { replayMissed: true }) }),
    done: ({ reply }, _body, { endpoint }) => reply.redirect(pageOf(endpoint), 303),
  });
}

function addRemoval(mount: Mount): void {
  addChange(mount, {
    path: '/webhooks/:endpointId/delete',
    find: findEndpoint,
    show: (visit, { endpoint, users }) => {
      const { webhooks } = visit.words.access;
      return {
        title: webhooks.remove,
        lead: webhooks.removeLead,
        about: renderEndpointFacts(visit, endpoint, users),
        label: webhooks.remove,
        back: [pageOf(endpoint), webhooks.toEndpoint],
      };
    },
    request: (_typed, { endpoint }) => ({ method: 'DELETE', url: `${endpointsUrl}/${endpoint.id}` }),
    done: ({ reply }) => reply.redirect('/partner/webhooks', 303),
  });
}

function addRotation(mount: Mount): void {
  addChange(mount, {
    path: '/webhooks/:endpointId/rotate-secret',
    stepUp: true,
    find: findEndpoint,
    show: (visit, { endpoint, users }) => {
      const { webhooks } = visit.words.access;
      return {
        title: webhooks.rotate,
        lead: webhooks.rotateLead,
        about: renderEndpointFacts(visit, endpoint, users),
        label: webhooks.rotate,
        back: [pageOf(endpoint), webhooks.toEndpoint],
      };
    },
    request: (_typed, { endpoint }) => ({
      method: 'POST',
      url: `${endpointsUrl}/${endpoint.id}/rotate-secret`,
    }),
    done: ({ visit }, body, { users }) =>
      renderWithSecret(visit, visit.words.access.webhooks.rotated, body, users),
  });
}

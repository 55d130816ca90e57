/** What we use of pdfkit's references. */
export interface Reference {
  data: Record<string, unknown>;
  end(): void;
}

/** What we use of pdfkit beyond its documented face; its version is pinned. */
export interface OpenDocument {
  ref(data: Record<string, unknown>): Reference;
  page: {
    dictionary: Reference;
    structParentTreeKey: number;
    annotations: Reference[];
    height: number;
    fonts: Record<string, unknown>;
  };
  getStructTreeRoot(): Reference;
  getStructParentTree(): { get(key: number): Reference[]; add(key: number, owner: Reference): void };
  createStructParentTreeNextKey(): number;
}

/** An element of the structure that screen readers read, such as a table or a row. */
export interface Container {
  reference: Reference;
  children: Reference[];
}

export interface Structure {
  root: Container;
  open(type: string, parent: Container): Container;
  close(container: Container): void;
  /** An element with what is drawn next on this page. Returns how its content begins. */
  mark(type: string, parent: Container, more?: Record<string, unknown>): string;
  /** The same for a link, with the place that leads to `url`: left, top, right, bottom. */
  markLink(parent: Container, url: string, place: readonly [number, number, number, number]): string;
  finish(): void;
}

/**
 * The structure of a tagged PDF. Elements are written as soon as they are complete: pdfkit's own `struct`
 * keeps them all in memory until the end, and a long statement has six for each line.
 */
export function createStructure(document: OpenDocument, title: string): Structure {
  const tree = document.getStructTreeRoot();
  const open = (type: string, parent: Reference, more: Record<string, unknown> = {}): Container => {
    const reference = document.ref({ Type: 'StructElem', S: type, P: parent, ...more });
    return { reference, children: [] };
  };
  const close = ({ reference, children }: Container) => {
    reference.data.K = children;
    reference.end();
  };
  const root = open('Document', tree, { T: new String(title) });
  tree.data.K = [root.reference];
  const markNext = (type: string, parent: Container, more: Record<string, unknown>) => {
    const { page } = document;
    const owners = document.getStructParentTree().get(page.structParentTreeKey);
    const place = owners.length;
    const element = open(type, parent.reference, { Pg: page.dictionary, K: place, ...more });
    owners.push(element.reference);
    parent.children.push(element.reference);
    return { element, place };
  };
  const beginning = (type: string, place: number) => `/${type} <</MCID ${place}>> BDC`;

  return {
    root,
    open: (type, parent) => {
      const container = open(type, parent.reference);
      parent.children.push(container.reference);
      return container;
    },
    close,
    mark(type, parent, more = {}) {
      const { element, place } = markNext(type, parent, more);
      element.reference.end();
      return beginning(type, place);
    },
    markLink(parent, url, [left, top, right, bottom]) {
      const { page } = document;
      const { element, place } = markNext('Link', parent, {});
      const key = document.createStructParentTreeNextKey();
      document.getStructParentTree().add(key, element.reference);
      const annotation = document.ref({
        Type: 'Annot',
        Subtype: 'Link',
        Rect: [left, page.height - bottom, right, page.height - top],
        Border: [0, 0, 0],
        F: 4,
        StructParent: key,
        Contents: new String(url),
        A: { S: 'URI', URI: new String(url) },
      });
      page.annotations.push(annotation);
      annotation.end();
      const object = { Type: 'OBJR', Obj: annotation, Pg: page.dictionary };
      element.reference.data.K = [place, object];
      element.reference.end();
      return beginning('Link', place);
    },
    finish: () => close(root),
  };
}

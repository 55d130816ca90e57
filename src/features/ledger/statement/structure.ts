/** What we use of pdfkit's references. */
export interface Reference {
  id: number;
  /** Where it begins in the file. */
  offset: number;
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
  _offset: number;
  _write(bytes: Buffer): void;
  _refEnd(reference: Reference): void;
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
  /** Writes what was closed on this page. */
  flush(): void;
  finish(): void;
}

/**
 * The structure of a tagged PDF. Elements are written page by page: pdfkit's own `struct` keeps them all in
 * memory until the end, and a long statement has six for each line. Rows and cells are written as one text,
 * because pdfkit writes each object in three parts, which doubled the time of a long statement.
 */
export function createStructure(document: OpenDocument, title: string): Structure {
  const tree = document.getStructTreeRoot();
  let pending: { reference: Reference; text: string }[] = [];
  const open = (type: string, parent: Reference, more: Record<string, unknown> = {}): Container => {
    const reference = document.ref({ Type: 'StructElem', S: type, P: parent, ...more });
    return { reference, children: [] };
  };
  /** An object of names, numbers and references only. */
  const writeLater = (reference: Reference, text: string) => pending.push({ reference, text });
  const close = ({ reference, children }: Container) => {
    const { S, P } = reference.data;
    writeLater(reference, `<</S/${S}/P ${P}/K[${children.join(' ')}]>>`);
  };
  const flush = () => {
    let text = '';
    for (const { reference, text: object } of pending) {
      reference.offset = document._offset + text.length;
      text += `${reference.id} 0 obj\n${object}\nendobj\n`;
    }
    document._write(Buffer.from(text, 'latin1'));
    for (const { reference } of pending) document._refEnd(reference);
    pending = [];
  };
  const root = open('Document', tree, { T: new String(title) });
  tree.data.K = [root.reference];
  const ownersOf = () => document.getStructParentTree().get(document.page.structParentTreeKey);
  const markNext = (type: string, parent: Container, more: Record<string, unknown>) => {
    const owners = ownersOf();
    const place = owners.length;
    const element = open(type, parent.reference, { Pg: document.page.dictionary, K: place, ...more });
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
    mark(type, parent, more) {
      if (more) {
        const { element, place } = markNext(type, parent, more);
        element.reference.end();
        return beginning(type, place);
      }
      const owners = ownersOf();
      const place = owners.length;
      const reference = document.ref(noData);
      writeLater(reference, `<</S/${type}/P ${parent.reference}/Pg ${document.page.dictionary}/K ${place}>>`);
      owners.push(reference);
      parent.children.push(reference);
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
    flush,
    finish() {
      root.reference.data.K = root.children;
      root.reference.end();
      flush();
    },
  };
}

const noData = {};

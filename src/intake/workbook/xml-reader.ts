import sax from 'sax';
import { damagedWorkbook } from './zip-archive.ts';

/** Receives the parts of an XML text as they are read. Names come without their prefix: "x:row" is "row". */
export interface XmlHandlers {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** A text, possibly in several pieces. */
  text?(text: string): void;
  close?(name: string): void;
}

/** A sheet is five elements deep. Each level takes memory, so a file of opening tags must be refused at some depth. */
const depthMax = 64;
/** The root element of a worksheet declares some thirty name spaces. */
const attributesMax = 200;

/** Reads a UTF-8 XML text chunk by chunk, in little memory. Throws `FILE_REJECTED` if it is not XML. */
export async function readXml(chunks: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  for await (const _ of xmlSteps(chunks, handlers));
}

/** The same, with a pause after each chunk, in which the caller can take what the handlers collected. */
export async function* xmlSteps(chunks: AsyncIterable<Buffer>, handlers: XmlHandlers): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // Only the five entities of XML are known; entities that a document declares are not expanded.
  const options: sax.SAXOptions & { strictEntities: boolean } = { strictEntities: true };
  const xml = sax.parser(true, options);
  let depth = 0;
  let attributes = 0;
  xml.onopentagstart = () => {
    depth += 1;
    attributes = 0;
    if (depth > depthMax) throw damagedWorkbook('its XML is nested too deeply');
  };
  xml.onattribute = () => {
    attributes += 1;
    if (attributes > attributesMax) throw damagedWorkbook('its XML has too many attributes');
  };
  xml.onopentag = ({ name, attributes: own }) => handlers.open(localName(name), own as Record<string, string>);
  xml.onclosetag = (name) => {
    depth -= 1;
    handlers.close?.(localName(name));
  };
  xml.ontext = (text) => handlers.text?.(text);
  xml.oncdata = (text) => handlers.text?.(text);
  xml.onerror = (error) => {
    throw damagedWorkbook('its XML is broken', error);
  };
  for await (const chunk of chunks) {
    xml.write(decoded(() => decoder.decode(chunk, { stream: true })));
    yield;
  }
  xml.write(decoded(() => decoder.decode())).close();
  yield;
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch (error) {
    throw damagedWorkbook('its XML is not in UTF-8', error);
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

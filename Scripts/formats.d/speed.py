"""How long garmin-fit-sdk's encoder takes for the very messages that were written."""
import time


def filled(value):
    """Five intervals, where the decoder has None for those that are none: the encoder wants the value that says so, in seconds."""
    return [65.535 if one is None else one for one in value] if isinstance(value, list) else value


def compare(path, export):
    """`export` does all of it once, with the program's start and the store, and returns the seconds. Of each the quickest run counts: what
    else the machine does only adds."""
    from garmin_fit_sdk import Decoder, Encoder, Profile, Stream
    messages = []
    names = {number: name for name, number in Profile['mesg_num'].items()}
    Decoder(Stream.from_file(str(path))).read(mesg_listener=lambda number, message: messages.append((number, message)))

    def encode():
        encoder = Encoder()
        start = time.monotonic()
        for number, message in messages:
            if number in names:
                encoder.on_mesg(number, {key: filled(value) for key, value in message.items() if key != 'developer_fields'})
        encoder.close()
        return time.monotonic() - start

    theirs, ours = min(encode() for _ in range(3)), min(export() for _ in range(5))
    told = f"{len(messages)} messages: {ours:.3f} s, garmin-fit-sdk's encoder {theirs:.2f} s: {theirs / ours:.1f} times"
    assert theirs / ours >= 20, f'{told}, not 20'
    return told

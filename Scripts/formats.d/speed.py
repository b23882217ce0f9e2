"""How long garmin-fit-sdk's encoder takes for the very messages that were written."""
import time


def compare(path, seconds):
    """`seconds` is the whole export, with the program's start and the store."""
    from garmin_fit_sdk import Decoder, Encoder, Profile, Stream
    messages = []
    names = {number: name for name, number in Profile['mesg_num'].items()}
    Decoder(Stream.from_file(str(path))).read(mesg_listener=lambda number, message: messages.append((number, message)))
    encoder = Encoder()
    start = time.monotonic()
    for number, message in messages:
        if number in names:
            encoder.on_mesg(number, {key: value for key, value in message.items() if key != 'developer_fields'})
    encoder.close()
    theirs = time.monotonic() - start
    times = theirs / seconds
    assert times >= 20, f"{len(messages)} messages: {seconds:.2f} s, garmin-fit-sdk's encoder {theirs:.2f} s: {times:.1f} times, not 20"
    return f"{len(messages)} messages: {seconds:.2f} s, garmin-fit-sdk's encoder {theirs:.2f} s: {times:.1f} times"
